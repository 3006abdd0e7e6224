// The history of the tab: each finished change is one entry, numbered, so that undo never leaves the lab.
const undo = document.getElementById("undo");
const redo = document.getElementById("redo");

const step = () => history.state?.step ?? 0;
const last = () => Number(sessionStorage.getItem("last-step") ?? 0);

export const canUndo = () => step() > 0;

export function travelled() {
  undo.disabled = !canUndo();
  redo.disabled = step() >= last();
}

/** Makes a query the address: a new entry, or in place of the present one while a key is held. */
export function remember(query, instead = false) {
  const address = query ? `/?${query}` : "/";
  if (location.pathname + location.search === address) return;
  if (instead) {
    history.replaceState({ step: step() }, "", address);
  } else {
    history.pushState({ step: step() + 1 }, "", address);
    sessionStorage.setItem("last-step", step());
  }
  travelled();
}

undo.addEventListener("click", () => history.back());
redo.addEventListener("click", () => history.forward());

if (history.state?.step === undefined) {
  history.replaceState({ step: 0 }, "");
  sessionStorage.setItem("last-step", 0);
}
travelled();
