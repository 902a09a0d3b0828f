// Runs before the first paint: a late change of theme would flash.
try {
  const theme = localStorage.getItem('darkroom-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system theme applies.
}
