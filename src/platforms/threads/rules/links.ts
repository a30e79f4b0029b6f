import { findEntities } from "../../../domain/posts/text/entities.ts"

/** The different links of a text. */
export const distinctLinks = (text: string): ReadonlyArray<string> => [
  ...new Set(findEntities(text).flatMap(({ feature }) => (feature._tag === "Link" ? [feature.uri] : [])))
]
