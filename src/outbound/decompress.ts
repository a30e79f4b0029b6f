import * as NodeStream from "@effect/platform-node/NodeStream"
import { Stream } from "effect"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { Unreachable } from "./errors.ts"

const decoders = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress
}

const isKnown = (coding: string): coding is keyof typeof decoders => Object.hasOwn(decoders, coding)

export const acceptedEncodings = "gzip, deflate, br"

const unreadable = (encoding: string) => new Unreachable({ message: `The response's ${encoding} can't be read` })

/**
 * Decompresses as the body is read, at most 64 kB ahead, so a reader that stops at a limit is safe from decompression
 * bombs. Multiple encodings are refused: nobody needs them.
 */
export const decompress = <E>(
  body: Stream.Stream<Uint8Array, E>,
  encoding: string | undefined
): Stream.Stream<Uint8Array, E | Unreachable> => {
  const coding = encoding?.trim().toLowerCase() ?? "identity"
  if (coding === "identity" || coding === "") return body
  if (!isKnown(coding)) return Stream.fail(unreadable("encoding"))
  return NodeStream.pipeThroughDuplex(body, {
    evaluate: () => decoders[coding](),
    onError: () => unreadable(coding),
    chunkSize: 4
  })
}
