// The arithmetic of a figure: opens below it, follows a drag, closes with Esc. Every text comes from the server.
import { readings } from "./controls.js";

const answer = document.getElementById("answer");
const ROWS = ".layout, .keys, .bars ul, .parts, .mesh, .stacks, .strip";
const BLOCKS = ["shape", "bars", "path", "strip"];
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

const panel = document.createElement("article");
panel.id = "arithmetic";
panel.setAttribute("aria-labelledby", "arithmetic-title");

let open = null; // the figure whose panel is open: its id, and which of those with this id it is
let address = null; // what the panel shows: id, reading and from, without the workload
let shown = null; // the request whose answer stands in the panel
let asking = false;
let walking = false; // whether the figure in focus was reached by key: then arrows go on to its neighbours

const figures = (root = answer) => [...(root?.querySelectorAll("[data-figure]") ?? [])];
const figureOf = (element) => element.closest?.("#answer [data-figure]");
const namesakes = (id) => figures().filter((figure) => figure.dataset.figure === id);

function opener() {
  const found = open ? namesakes(open.id) : [];
  return found[open?.rank] ?? found[0];
}

/** Figures act as buttons, each block of them one stop of the Tab key. Scripts alone make them so. */
function dress() {
  for (const figure of answer.querySelectorAll("[data-figure]:not([role])")) {
    figure.setAttribute("role", "button");
    figure.setAttribute("aria-expanded", "false");
    figure.setAttribute("tabindex", "-1");
  }
  for (const id of BLOCKS) {
    const block = document.getElementById(id);
    if (!block?.querySelector("[data-figure][tabindex='0']")) {
      block?.querySelector("[data-figure]")?.setAttribute("tabindex", "0");
    }
  }
}

function mark() {
  const now = opener();
  for (const figure of answer.querySelectorAll("[aria-expanded='true']")) {
    if (figure !== now) figure.setAttribute("aria-expanded", "false");
  }
  now?.setAttribute("aria-expanded", "true");
}

/** Below the row of its figure, the notch under the figure. */
function place() {
  const figure = opener();
  const row = figure?.closest(ROWS) ?? figure?.parentElement;
  if (row && row.nextElementSibling !== panel) row.after(panel);
  point();
}

function point() {
  const figure = opener();
  if (!figure) return;
  const box = figure.getBoundingClientRect();
  const middle = box.left + Math.min(box.width, 96) / 2 - panel.getBoundingClientRect().left;
  panel.style.setProperty("--notch", `${Math.round(middle)}px`);
}

function close({ focus = false } = {}) {
  const figure = opener();
  open = address = shown = null;
  panel.remove();
  mark();
  if (focus) figure?.focus({ preventScroll: true });
}

function toggle(figure) {
  const id = figure.dataset.figure;
  if (figure === opener()) return close({ focus: true });
  open = { id, rank: namesakes(id).indexOf(figure) };
  address = new URLSearchParams({ id });
  mark();
  load();
}

const wanted = () => [address, readings().here].filter((part) => String(part)).join("&");

/** Asks for what the panel should show now; while an answer is on its way, only for the newest after it. */
async function load() {
  if (asking) return;
  asking = true;
  while (open && wanted() !== shown) {
    const request = wanted();
    try {
      const response = await fetch(`/figure?${request}`, { headers: { Accept: "text/html", "HX-Request": "true" } });
      if (!response.ok) throw new Error(response.statusText);
      const text = await response.text();
      if (open) fill(text);
      shown = request;
    } catch {
      close();
    }
  }
  asking = false;
}

function fill(text) {
  const links = () => [...panel.querySelectorAll("a")];
  const held = panel.contains(document.activeElement) && links().indexOf(document.activeElement);
  panel.innerHTML = text;
  place();
  if (held === false) return;
  const again = panel.querySelector("[aria-current]") ?? panel.querySelector("[data-close]");
  (links()[held]?.closest(".ways") ? links()[held] : again).focus({ preventScroll: true });
}

/** After a redraw: the panel, which the new answer does not know, goes back below its figure. */
function restore() {
  dress();
  if (!open) return;
  if (!opener()) return close();
  mark();
  place();
  load();
}

document.addEventListener("click", (event) => {
  const figure = figureOf(event.target);
  if (figure) toggle(figure);
});

panel.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.matches("[data-close]")) close({ focus: true });
  else if (link.matches("[data-open]")) {
    const asked = new URLSearchParams(link.search);
    address = new URLSearchParams([...asked].filter(([name]) => ["id", "reading", "from"].includes(name)));
    load();
  } else return;
  event.preventDefault();
  event.stopPropagation();
});

function walk(figure, step) {
  const block = BLOCKS.map((id) => figure.closest(`#${id}`)).findLast(Boolean);
  const all = figures(block).filter((f) => BLOCKS.map((id) => f.closest(`#${id}`)).findLast(Boolean) === block);
  const next = all[all.indexOf(figure) + step];
  if (!next) return;
  figure.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

// Capture: the arrows would walk the cards, and Esc leave a card's question.
document.addEventListener("keydown", (event) => {
  if (event.key === "Tab" || event.key in STEPS) walking ||= event.key === "Tab";
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const figure = figureOf(event.target);
  if (event.key === "Escape" && open) close({ focus: true });
  else if (figure && (event.key === "Enter" || event.key === " ")) toggle(figure);
  else if (figure && walking && event.key in STEPS) walk(figure, STEPS[event.key]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);

document.addEventListener("pointerdown", () => (walking = false), true);
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => ctx.target === answer && restore());
document.addEventListener("lab:form", restore);
new ResizeObserver(point).observe(panel);
dress();
