import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
import { GuardedHttpClient } from "../../../src/outbound/GuardedHttpClient.ts"

const undiciLayer = NodeHttpClient.layerUndiciNoDispatcher.pipe(Layer.provideMerge(NodeHttpClient.layerDispatcher))

const layerWith = (loopback: boolean) =>
  Layer.merge(undiciLayer, GuardedHttpClient.layer({ http: false, anyPort: true, loopback }))

/** Allows platforms that are servers on this machine. */
export const platformHttpLayer = layerWith(true)

/** Refuses addresses in DID documents unless they are public, as in live mode. */
export const strictHttpLayer = layerWith(false)
