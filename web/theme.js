// Before the first paint: a page that was light for a moment would flash.
try {
  const theme = localStorage.getItem('darkroom-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage there is the theme of the system.
}
