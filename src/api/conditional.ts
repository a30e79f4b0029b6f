import { Schema } from "effect"
import { IfMatch } from "../domain/revisionMatch.ts"

/** The header of an operation that is carried out only on a revision that the caller knows. */
export const conditional = {
  "if-match": Schema.optionalKey(
    IfMatch.pipe(
      Schema.annotateEncoded({
        description:
          "Refuses the request unless the post has this revision: the `ETag` of a response, a list of them, or `*` for any.",
        examples: ['"3"']
      })
    )
  )
}

/** The header of a response that has one post. */
export const etag = { etag: Schema.String }
