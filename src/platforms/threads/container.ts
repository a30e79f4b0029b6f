import { Option, Schema } from "effect"
import { type PlatformResponse, readResponse } from "../call.ts"
import { type ContainerState, containerStatuses } from "../meta/container.ts"
import { MetaId } from "../meta/syntax.ts"

const readContainer = readResponse(
  Schema.Struct({
    id: MetaId,
    status: Schema.Literals(containerStatuses),
    error_message: Schema.optionalKey(Schema.Unknown)
  })
)

const meanings: Readonly<Record<string, string>> = {
  FAILED_PROCESSING_AUDIO: "its sound can't be processed",
  FAILED_PROCESSING_VIDEO: "the video can't be processed",
  INVALID_ASPEC_RATIO: "the aspect ratio is not accepted",
  INVALID_BIT_RATE: "the bit rate is not accepted",
  INVALID_DURATION: "the duration is not accepted",
  INVALID_FRAME_RATE: "the frame rate is not accepted",
  INVALID_AUDIO_CHANNELS: "the number of audio channels is not accepted",
  INVALID_AUDIO_CHANNEL_LAYOUT: "the layout of audio channels is not accepted"
}

/** A container with an error has its name, such as FAILED_DOWNLOADING_VIDEO. */
export const stateIn = (container: string, response: PlatformResponse): Option.Option<ContainerState> =>
  response.status !== 200
    ? Option.none()
    : readContainer(response).pipe(
        Option.filter(({ id }) => id === container),
        Option.map(({ error_message: told, status }) => {
          const error = typeof told === "string" && /^[A-Z_]{1,64}$/.test(told) ? told : undefined
          return { status, error, lastingError: meanings[error ?? ""] }
        })
      )
