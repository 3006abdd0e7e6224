// Sliders and boxes: the box is the named field, the slider moves it from stop to stop.

/** What the server read, with the texts and positions of the controls; `here` is sent where it is not the query. */
export function readings() {
  const state = JSON.parse(document.getElementById("readings").dataset.state);
  return { ...state, here: state.here || state.query };
}

const along = (range, stop) => `${(100 * stop) / range.max}%`;

function paint(range) {
  const field = range.closest(".field");
  const unit = field.querySelector(".unit").textContent;
  field.querySelector(".fill")?.setAttribute("x2", along(range, range.value));
  range.setAttribute("aria-valuetext", `${field.querySelector(".entry input").value} ${unit}`);
}

/** The box takes the text of the stop on which its slider stands. */
export function followRange(range) {
  const box = range.closest(".field").querySelector(".entry input");
  box.value = range.dataset.texts.split("|")[range.value];
  paint(range);
}

function ghost(range, stop) {
  const mark = range.closest(".field").querySelector(".ghost");
  mark.classList.toggle("shown", stop !== null);
  if (stop === null) return;
  mark.setAttribute("x1", along(range, stop));
  mark.setAttribute("x2", along(range, stop));
}

/**
 * Copies what the server read into the controls. A `stale` answer, with a newer one on its way, writes no
 * values: they would go back into the form. The control in use keeps its text until its change is `finished`.
 */
export function applyReadings({ stale = false, finished = false } = {}) {
  const { sliders, boxes, errors, free, fixed, card, query } = readings();
  const busy = finished ? null : document.activeElement?.closest(".field");
  const written = (field, name) => !stale && field !== busy && !(name in errors);
  lock(free, query);
  document.querySelector("a[data-bring]").href = `/model?${query}`;
  for (const [name, [text, stop, before]] of Object.entries(sliders)) {
    const box = document.getElementById(name);
    const range = document.getElementById(`${name}-slider`);
    ghost(range, before);
    if (written(box.closest(".field"), name)) box.value = text;
    if (written(box.closest(".field"), name) || (!stale && document.activeElement === box)) range.value = stop;
    paint(range);
  }
  for (const [name, [text, hint]] of Object.entries(boxes)) {
    const box = document.getElementById(name);
    box.placeholder = hint;
    if (written(box.closest(".field"), name)) box.value = text;
  }
  for (const place of document.querySelectorAll("#workload .error")) complain(place, errors);
  document.getElementById("fixed").textContent = fixed;
  for (const link of document.querySelectorAll("a[data-walkthrough]")) link.href = `/walkthrough?${query}`;
  markCard(card);
}

/** A preset, or a model that was brought, wins over the first slider; `free` is its count, to go on with by hand. */
function lock(free, query) {
  const freed = new URLSearchParams(query);
  for (const name of ["model", "own_model"]) freed.delete(name);
  freed.set("params", free);
  const box = document.getElementById("params");
  box.closest(".field").classList.toggle("locked", free !== "");
  box.disabled = document.getElementById("params-slider").disabled = free !== "";
  for (const link of document.querySelectorAll("a[data-free]")) link.href = `/?${freed}`;
}

function complain(place, errors) {
  const name = place.id.slice(0, -"-error".length);
  const text = errors[name] ?? "";
  if (place.textContent !== text) place.textContent = text;
  const control = document.getElementById(name) ?? place.closest("fieldset");
  if (text) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
}

function markCard(card) {
  for (const link of document.querySelectorAll("a[data-card]")) {
    if (link.dataset.card !== card) {
      link.removeAttribute("aria-current");
    } else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "step");
      document.getElementById("watch").textContent = link.dataset.watch;
    }
  }
}
