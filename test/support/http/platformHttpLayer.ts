import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
import { GuardedHttpClient } from "../../../src/outbound/GuardedHttpClient.ts"

const undiciLayer = NodeHttpClient.layerUndiciNoDispatcher.pipe(Layer.provideMerge(NodeHttpClient.layerDispatcher))

const layerWith = (loopback: boolean) =>
  Layer.merge(undiciLayer, GuardedHttpClient.layer({ http: false, anyPort: true, loopback }))

/** For platforms that are servers on this machine. */
export const platformHttpLayer = layerWith(true)

/** As in live mode: addresses from DID documents are public, or refused. */
export const strictHttpLayer = layerWith(false)
