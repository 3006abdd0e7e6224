// Before the first paint: what a visitor chose earlier, so that nothing flashes.
{
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (sessionStorage.getItem("present")) root.dataset.present = "";
  } catch {
    // Storage is blocked: the system's theme and the plain view will do.
  }
}
