// The lab's script: it moves controls and history. Every figure and text comes from the server.
import "./chrome.js";
import "./cards.js";
import "./dock.js";
import { applyReadings, followRange, readings } from "./controls.js";
import { canUndo, remember, travelled } from "./travel.js";
import { notice, show } from "./show.js";

const isTextBox = (element) => element?.matches?.("input:not([type=range]):not([type=radio])");

let gesture = null; // the control that is being dragged, typed into or stepped
let lastControl = null;
let repeating = false; // a key is held down: one drag, one entry in the history
let settled = false; // the gesture has ended; its answer may become the address
let kept = false; // the gesture has its entry in the history already
let newest = 0;

const form = () => document.getElementById("workload");

function begin(control) {
  gesture = control;
  if (repeating && control === lastControl) return;
  lastControl = control;
  kept = false;
  form().elements.was.value = readings().here;
}

document.addEventListener("keydown", (event) => (repeating = event.repeat), true);

// Capture: the named box and `was` must be right before htmx, on the form, reads them.
document.addEventListener("input", (event) => {
  if (event.target.type === "range") followRange(event.target);
  if (event.target.form !== form()) return;
  if (gesture !== event.target) begin(event.target);
  settled = false;
}, true);

document.addEventListener("change", (event) => {
  if (event.target.form !== form()) return;
  if (gesture !== event.target) begin(event.target);
  gesture = null;
  settled = true;
}, true);

document.addEventListener("submit", (event) => {
  if (event.target === form()) settled = true;
}, true);

document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  const body = ctx.request.body;
  if (ctx.sourceElement === form()) {
    ctx.order = ++newest;
    for (const [name, value] of [...body]) if (value === "") body.delete(name);
  } else if (ctx.sourceElement.dataset.card) {
    body.set("was", readings().here);
  }
});

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx } = event.detail;
  // A form that an undo has replaced meanwhile has no say any more.
  if (ctx.target?.id === "answer" && ctx.sourceElement !== form()) event.preventDefault();
  // A number half typed is no mistake: "1e" is on its way to "1e9".
  const unfinished = !settled && isTextBox(document.activeElement);
  if (ctx.sourceElement === form() && ctx.response.status === 422 && unfinished) event.preventDefault();
});

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.sourceElement !== form()) return;
  const isNewest = ctx.order === newest;
  applyReadings({ stale: !isNewest, finished: settled });
  if (!isNewest || !settled) return;
  settled = false;
  if (ctx.response.status !== 200) return;
  remember(readings().query, kept);
  kept = true;
});

document.addEventListener("htmx:error", () => notice("No answer from the server; the last design stays."));
document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
  if (ctx.response.status >= 500) notice("The server failed on this one; the last design stays.");
});

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[data-apply], #answer a[href^="/?"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  document.getElementById("card").replaceChildren();
  show(link.search.slice(1), { was: link.dataset.was || readings().here, push: true });
});

addEventListener("popstate", () => {
  travelled();
  gesture = null;
  show(location.search.slice(1));
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  if (isTextBox(event.target) || event.target.matches("textarea")) return;
  event.preventDefault();
  if (event.shiftKey) history.forward();
  else if (canUndo()) history.back();
});

applyReadings();
