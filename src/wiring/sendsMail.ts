import { Layer, Option } from "effect"
import type { Configuration } from "../config.ts"
import { SendsMail } from "../repo/notifications/SendsMail.ts"

export const sendsMailLayer = (config: Configuration) => Layer.succeed(SendsMail, Option.isSome(config.mail))
