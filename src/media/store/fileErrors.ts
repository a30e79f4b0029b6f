import { Effect, PlatformError, Predicate } from "effect"
import { MediaStoreFull, MediaUnavailable } from "../../domain/errors.ts"

type FileError = PlatformError.PlatformError

const fullCodes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

const isFull = ({ reason }: FileError): boolean =>
  Predicate.hasProperty(reason.cause, "code") && fullCodes.has(reason.cause.code)

const isFileError = (error: unknown): error is FileError => error instanceof PlatformError.PlatformError

/** For reads, removals and listings. */
export const orUnavailable =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | FileError, R>) =>
    effect.pipe(Effect.catchIf(isFileError, (cause) => Effect.fail(new MediaUnavailable({ operation, cause }))))

/** For writes. */
export const orFull =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | FileError, R>) =>
    effect.pipe(
      Effect.catchIf(isFileError, (cause) =>
        Effect.fail(isFull(cause) ? new MediaStoreFull() : new MediaUnavailable({ operation, cause }))
      )
    )
