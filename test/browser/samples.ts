import { Effect } from "effect"
import sharp from "sharp"

export const both = ["twitter", "bluesky"] as const

/** A text that fits both platforms. */
export const german = "Unsere neue Veröffentlichung ist da. Danke an alle, die geholfen haben! #Sommer"

/** A file as a person chooses it in the browser. */
export const picture = Effect.promise(async () => ({
  name: "harbor.png",
  mimeType: "image/png",
  buffer: await sharp({ create: { width: 640, height: 360, channels: 3, background: "#f25c54" } })
    .png()
    .toBuffer()
}))
