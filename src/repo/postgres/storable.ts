/** A text as PostgreSQL can store it, also within JSON: neither with half of a surrogate pair nor with NUL. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\uFFFD")
