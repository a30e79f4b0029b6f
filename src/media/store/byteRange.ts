import { Result } from "effect"
import type { ByteRange } from "./MediaStore.ts"

/**
 * Returns undefined if the whole file is requested, and fails for a range outside the file. Anything but a single byte
 * range is ignored, as RFC 9110 allows.
 */
export const parseRange = (
  header: string | undefined,
  size: number
): Result.Result<ByteRange | undefined, "outside"> => {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? []
  if (first === "" && last === "") return Result.succeed(undefined)
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? Result.fail("outside") : Result.succeed({ offset: size - length, length })
  }
  const offset = Number(first)
  if (last !== "" && Number(last) < offset) return Result.succeed(undefined)
  if (offset >= size) return Result.fail("outside")
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1)
  return Result.succeed({ offset, length: end - offset + 1 })
}
