/** A text that PostgreSQL can store, even within JSON: without lone surrogates and NUL. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\uFFFD")
