import { Effect, Schema } from "effect"
import { SplitResponse, SplitText } from "../../api/posts/splitting.ts"
import { byteLength } from "../../domain/posts/text/textLength.ts"
import { truncated } from "../compactPost.ts"
import { makeTool } from "../tool.ts"

/** The parts of a longer text would not fit into a result, and incomplete parts are useless. */
const maxBytes = 20_000

const { content, ...rest } = SplitText.fields
const { fits, parts } = SplitResponse.fields.data.fields

const input = Schema.Struct({
  content: content
    .check(
      Schema.makeFilter((text: string) => byteLength(text) <= maxBytes, {
        expected: `a text of at most ${maxBytes.toLocaleString("en")} bytes`
      })
    )
    .annotateKey({
      description: `The text, of up to ${maxBytes.toLocaleString("en")} bytes in UTF-8. A line of three hyphens alone ends a part, and is left out.`
    }),
  ...rest
})

const output = Schema.Struct({
  parts,
  per_platform: Schema.Array(
    Schema.Struct({
      platform: Schema.String,
      limit: Schema.NullOr(Schema.Int),
      lengths: Schema.Array(Schema.Int).annotateKey({
        description: "The length of each part, in the platform's own unit."
      })
    })
  ),
  fits,
  truncated
})

export const splitText = makeTool({
  name: "split_text",
  title: "Split a text",
  description:
    "Use this to cut a long text into the parts of a thread: the first part is the `content` of create_post, the others are its `thread`. Stores nothing, and changes no words.",
  scopes: ["posts:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input,
  output,
  run: (payload, { contract }) =>
    Effect.map(contract.posts.split({ payload }), ({ data }) => ({
      parts: data.parts,
      per_platform: data.per_platform.map((platform) => ({
        platform: platform.platform,
        limit: platform.parts[0]?.limit ?? null,
        lengths: platform.parts.map(({ length }) => length)
      })),
      fits: data.fits
    }))
})
