// Brings a whole design onto the page, controls included, without leaving it.
import { applyReadings, readings } from "./controls.js";
import { remember } from "./travel.js";

let asked = 0;
let fading;

export function notice(text) {
  const place = document.getElementById("notice");
  place.textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => (place.textContent = ""), 4000);
}

/** Shows the design of a query as it would look when opened; `was` is the query to compare with. */
export async function show(query, { was = null, push = false } = {}) {
  const order = ++asked;
  const parts = new URLSearchParams(query);
  if (was !== null) parts.set("was", was);
  try {
    const answer = await fetch(`/?${parts}`, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (order !== asked) return;
    replace(page);
    if (push) remember(readings().query);
  } catch {
    notice("No answer from the server; the last design stays.");
  }
}

function replace(page) {
  const old = document.getElementById("workload");
  const fresh = page.getElementById("workload");
  const focused = old.contains(document.activeElement) && document.activeElement.id;
  fresh.querySelector(".drawer").open ||= old.querySelector(".drawer").open;
  fresh.className = old.className;
  old.replaceWith(fresh);
  document.getElementById("answer").replaceChildren(...page.getElementById("answer").childNodes);
  htmx.process(fresh);
  htmx.process(document.getElementById("answer"));
  applyReadings({ finished: true });
  fresh.dispatchEvent(new Event("lab:form", { bubbles: true }));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}
