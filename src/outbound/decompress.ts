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

/** The codings that `decompress` knows, for Accept-Encoding. */
export const acceptedEncodings = "gzip, deflate, br"

const unreadable = (encoding: string) => new Unreachable({ message: `The response's ${encoding} can't be read` })

/**
 * Undoes a response's Content-Encoding. It decompresses as it is read, 64 kB ahead at most, so that whoever stops reading at
 * a limit is safe from decompression bombs. Encodings that were applied one after the other are refused: none needs that.
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
