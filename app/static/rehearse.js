// Keeps a rehearsal in this browser, and swaps its form in place, so that a reload loses nothing.
const form = () => document.getElementById("rehearsal");
const key = `rehearsal:${form().dataset.case}`;
const said = (submitter) => new URLSearchParams(new FormData(form(), submitter));

function keep() {
  try {
    localStorage.setItem(key, said());
  } catch {
    // Storage is blocked or full: the form itself still holds everything.
  }
}

function kept() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Sends the form's fields and shows the answer in its place. */
async function send(fields) {
  const answer = await fetch(form().getAttribute("action"), { method: "POST", body: fields });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("rehearsal");
  if (!answer.ok || !fresh) throw new Error("no form in the answer");
  form().replaceWith(fresh);
  keep();
}

document.addEventListener("input", (event) => event.target.closest("#rehearsal") && keep());

document.addEventListener("submit", async (event) => {
  if (event.target.id !== "rehearsal" || event.submitter?.hasAttribute("formaction")) return;
  event.preventDefault();
  try {
    await send(said(event.submitter));
    (form().querySelector("[aria-invalid]") ?? document.getElementById("step")).focus();
  } catch {
    document.getElementById("notice").textContent = "No answer from the server; what you wrote is kept.";
  }
});

document.addEventListener("click", (event) => {
  if (event.target.id === "print") window.print();
  if (event.target.id === "fresh") {
    try {
      localStorage.removeItem(key);
    } catch {
      // Nothing was kept.
    }
  }
});

if (kept()) send(new URLSearchParams(kept())).catch(() => {});
