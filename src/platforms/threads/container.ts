import { Option, Schema } from "effect"
import { type PlatformResponse, readResponse } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import { readFrom } from "./api.ts"
import { ThreadsId } from "./syntax.ts"

const Container = Schema.Struct({
  id: ThreadsId,
  status: Schema.Literals(["IN_PROGRESS", "FINISHED", "PUBLISHED", "ERROR", "EXPIRED"]),
  error_message: Schema.optionalKey(Schema.Unknown)
})
const readContainer = readResponse(Container)

export interface ContainerState {
  readonly status: (typeof Container.Type)["status"]
  /** A name such as FAILED_DOWNLOADING_VIDEO, of a container with an error. */
  readonly error: string | undefined
}

export const containerRequest = (config: Pick<ThreadsConfig, "apiUrl">, container: string) =>
  readFrom(config, `/${container}`, { fields: "id,status,error_message" })

/** None if the response does not have the state of this container. */
export const containerState = (container: string, response: PlatformResponse): Option.Option<ContainerState> =>
  response.status !== 200
    ? Option.none()
    : readContainer(response).pipe(
        Option.filter(({ id }) => id === container),
        Option.map(({ error_message: error, status }) => ({
          status,
          error: typeof error === "string" && /^[A-Z_]{1,64}$/.test(error) ? error : undefined
        }))
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

/** The reason for a container's error that another container would have too. Undefined if another one may succeed. */
export const lastingError = ({ error = "" }: ContainerState): string | undefined => meanings[error]
