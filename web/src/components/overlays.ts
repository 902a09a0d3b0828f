/** Selector of what lies over a page and takes its place: dialogs, menus and the viewer. */
export const OVERLAYS = '.shade, .viewer-shade, .popover';
