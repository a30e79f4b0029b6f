/** In UTF-16 code units, without surrounding spaces. */
export const minSearchLength = 1
export const maxSearchLength = 200
/** The words that a search finds anywhere. PostgreSQL keeps 32 compiled patterns, and compiles more for each post. */
export const maxSearchWords = 8
