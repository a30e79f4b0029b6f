/** Makes a text storable in PostgreSQL, even within JSON, by replacing lone surrogates and NUL. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\uFFFD")
