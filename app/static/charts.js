// The charts: Plotly is fetched when they are first looked at, and they follow when a drag has ended.
// Figures and texts come from the server; here they get the theme's colours.
const slot = document.getElementById("charts");
const body = document.getElementById("charts-body");
const lab = () => document.getElementById("workload");
const OPTIONS = { displayModeBar: false, responsive: true, showTips: false, doubleClick: false };
const PAUSE_MS = 150;

let seen = false;
let dragging = false;
let shown = null; // the query whose charts stand on the page
let request = null;
let pause;
let plotly;

const loadPlotly = () =>
  (plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = slot.dataset.plotly;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  }));

/** What the form says now, as its own requests send it. */
function asked() {
  const values = new URLSearchParams(new FormData(lab()));
  for (const [name, value] of [...values]) if (value === "" || name === "was") values.delete(name);
  return values.toString();
}

async function refresh() {
  if (!seen || dragging || !lab() || asked() === shown) return;
  shown = asked();
  request?.abort();
  request = new AbortController();
  body.setAttribute("aria-busy", "true");
  try {
    const headers = { Accept: "text/html", "HX-Request": "true" };
    const answer = await fetch(`/charts?${shown}`, { headers, signal: request.signal });
    if (answer.status >= 500) throw new Error(answer.statusText);
    replace(await answer.text());
    await draw();
  } catch (error) {
    if (error.name !== "AbortError") fail();
  }
}

function replace(fragment) {
  const open = [...body.querySelectorAll("details[open]")].map((table) => table.closest("figure").id);
  for (const plot of body.querySelectorAll(".js-plotly-plot")) Plotly.purge(plot);
  body.innerHTML = fragment;
  for (const id of open) document.getElementById(id)?.querySelector("details").setAttribute("open", "");
  body.removeAttribute("aria-busy");
}

function fail() {
  shown = null;
  body.removeAttribute("aria-busy");
  body.textContent = "No answer from the server: the charts come with the next change.";
}

async function draw() {
  try {
    await loadPlotly();
  } catch {
    for (const table of body.querySelectorAll("details")) table.open = true;
    return;
  }
  const style = getComputedStyle(document.documentElement);
  const token = (key, value) => (/^var\(/.test(value) ? style.getPropertyValue(value.slice(4, -1)).trim() : value);
  for (const plot of body.querySelectorAll(".plot")) {
    const { data, layout } = JSON.parse(plot.nextElementSibling.textContent, token);
    for (const font of [layout.font, layout.hoverlabel.font]) font.size *= parseFloat(style.fontSize) / 16;
    Plotly.react(plot, data, layout, OPTIONS);
  }
}

const later = () => {
  clearTimeout(pause);
  pause = setTimeout(refresh, PAUSE_MS);
};

document.addEventListener("input", ({ target }) => {
  if (target.form === lab()) dragging = true;
});
for (const end of ["change", "submit"]) {
  document.addEventListener(end, ({ target }) => {
    if (lab() && (target.form ?? target) === lab()) dragging = false;
    later();
  });
}
document.addEventListener("htmx:after:swap", later);
document.addEventListener("lab:form", () => {
  dragging = false;
  later();
});

// The presenter's view hides the charts: they are drawn again when it ends.
const redraw = () => plotly && slot.checkVisibility() && draw();
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme", "data-present"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

new IntersectionObserver(([entry]) => {
  seen = entry.isIntersecting;
  if (!seen) return;
  if (lab()) refresh();
  else if (!plotly) draw();
}, { rootMargin: "200px" }).observe(slot);
