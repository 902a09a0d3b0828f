/**
 * sharp for code in the file of a parameter: the service reads all declarations and draws no image itself. Without
 * libvips it starts faster, and is smaller by some twenty megabytes.
 */
export const lateSharp = async () => (await import('sharp')).default;
