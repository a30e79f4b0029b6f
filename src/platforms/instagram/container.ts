import { Option, Schema } from "effect"
import { type PlatformResponse, readResponse } from "../call.ts"
import { type ContainerState, containerStatuses } from "../meta/container.ts"
import { MetaId } from "../meta/syntax.ts"

const readContainer = readResponse(
  Schema.Struct({
    id: MetaId,
    status_code: Schema.Literals(containerStatuses),
    status: Schema.optionalKey(Schema.Unknown)
  })
)

const meanings: Readonly<Record<string, string>> = {
  2207004: "a picture has more than 8 MiB",
  2207005: "a picture is not a JPEG",
  2207009: "a picture's aspect ratio is not between 4:5 and 1.91:1",
  2207010: "the caption is too long",
  2207023: "the kind of file is not accepted",
  2207026: "the video's format is not accepted",
  2207028: "the number of files is not accepted",
  2207040: "the caption has too many tags",
  2207057: "the cover is not within the video"
}

/** A container with an error has a text with Meta's subcode. */
export const stateIn = (container: string, response: PlatformResponse): Option.Option<ContainerState> =>
  response.status !== 200
    ? Option.none()
    : readContainer(response).pipe(
        Option.filter(({ id }) => id === container),
        Option.map(({ status: told, status_code }) => {
          const error = typeof told === "string" ? /\b22\d{5}\b/.exec(told)?.[0] : undefined
          return { status: status_code, error, lastingError: meanings[error ?? ""] }
        })
      )
