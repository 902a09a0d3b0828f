/** Longest transformation, in bytes as written in its URL. */
export const MAX_TRANSFORMATION_BYTES = 8192;

/** Most layers of a transformation. */
export const MAX_LAYERS = 8;
