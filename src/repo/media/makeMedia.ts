import { Effect } from "effect"
import { makeAddresses } from "./addresses.ts"
import { makeCardPictures } from "./cardPictures.ts"
import { makeLibrary } from "./library.ts"
import type { Media } from "./Media.ts"
import { makeRetention } from "./retention.ts"
import { makeSteps } from "./steps.ts"
import { makeUploads } from "./uploads.ts"

export const makeMedia: Effect.Effect<
  Media,
  never,
  Effect.Services<typeof makeAddresses> | Effect.Services<typeof makeLibrary>
> = Effect.gen(function* () {
  return {
    ...(yield* makeAddresses),
    ...(yield* makeCardPictures),
    ...(yield* makeUploads),
    ...(yield* makeSteps),
    ...(yield* makeLibrary),
    ...(yield* makeRetention)
  }
})
