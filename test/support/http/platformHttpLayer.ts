import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
import { GuardedHttpClient } from "../../../src/outbound/GuardedHttpClient.ts"

/** An HTTP client, and the dispatcher beneath it. */
const undiciLayer = NodeHttpClient.layerUndiciNoDispatcher.pipe(Layer.provideMerge(NodeHttpClient.layerDispatcher))

const layerWith = (loopback: boolean) =>
  Layer.merge(undiciLayer, GuardedHttpClient.layer({ http: false, anyPort: true, loopback }))

/** The HTTP clients of the adapters, where the platforms are servers on this machine. */
export const platformHttpLayer = layerWith(true)

/** The HTTP clients of the adapters as in live mode: addresses from DID documents are public, or refused. */
export const strictHttpLayer = layerWith(false)
