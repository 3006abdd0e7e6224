// Scenario cards: a click or a key applies the next one; some ask one question first.
import { readings } from "./controls.js";
import { show } from "./show.js";

const panel = document.getElementById("card");
const links = () => [...document.querySelectorAll("a[data-card]")];
let at = -1; // the card chosen last, from which the keys walk on

const current = () => links().findIndex((link) => link.hasAttribute("aria-current"));
const close = () => panel.replaceChildren();

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-card]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  at = links().indexOf(link);
  link.closest("details")?.removeAttribute("open");
  if (link.hasAttribute("hx-get")) return; // htmx fetches its question
  event.preventDefault();
  close();
  show(link.dataset.query, { was: link.dataset.was ?? readings().here, push: true });
});

panel.addEventListener("click", (event) => {
  if (!event.target.closest("#close-card")) return;
  event.preventDefault();
  finish();
});

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target !== panel) return;
  const reveal = panel.querySelector(".reveal");
  if (reveal) show(reveal.dataset.query, { was: reveal.dataset.was || null, push: true });
  const first = ["input[type=range]", "input[type=radio]", "h2"].map((kind) => panel.querySelector(kind));
  first.find(Boolean).focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
});

function finish() {
  close();
  const link = links()[at];
  (link?.checkVisibility() ? link : link?.closest("details")?.firstElementChild)?.focus({ preventScroll: true });
}

function walk(step) {
  const all = links();
  if (current() >= 0) at = current();
  const next = all[at + step];
  if (!next) return;
  next.click();
  next.focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=range]):not([type=radio]), select, textarea");
  if (event.key === "Escape" || (event.key.toLowerCase() === "s" && !typing)) {
    const skip = panel.querySelector("#skip");
    if (skip) skip.click();
    else if (event.key === "Escape" && panel.firstElementChild) finish();
    return;
  }
  if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
  if (event.target.closest("input, select, textarea, [contenteditable], [role=slider]")) return;
  event.preventDefault();
  walk(event.key === "ArrowRight" ? 1 : -1);
});
