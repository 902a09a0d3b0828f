/** Dispatched at an element with `data-folder` over which a drag rests; cancelled by elements that unfold instead. */
export const REST_EVENT = 'darkroom:rest';
