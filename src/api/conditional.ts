import { Schema } from "effect"
import { IfMatch } from "../domain/posts/revisionMatch.ts"

/** The If-Match header: carries out an operation only if the post has not changed. */
export const conditional = {
  "if-match": Schema.optionalKey(
    IfMatch.pipe(
      Schema.annotateEncoded({
        description:
          "Refuses the request unless the post has this revision and status: the `ETag` of a response, a list of them, or `*` for any. " +
          'A revision alone, such as `"3"`, is accepted in any status.',
        examples: ['"3-draft"']
      })
    )
  )
}

export const etag = { etag: Schema.String }
