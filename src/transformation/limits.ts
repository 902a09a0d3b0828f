/** The longest transformation, in bytes as its URL has it. */
export const MAX_TRANSFORMATION_BYTES = 8192;

/** The most layers that a transformation can have. */
export const MAX_LAYERS = 8;
