import { NodeHttpClient } from "@effect/platform-node"
import { Layer } from "effect"
import { GuardedHttpClient } from "../../../src/outbound/GuardedHttpClient.ts"

const layerWith = (loopback: boolean) =>
  Layer.merge(NodeHttpClient.layerUndici, GuardedHttpClient.layer({ http: false, anyPort: true, loopback }))

/** The HTTP clients of the adapters, where the platforms are servers on this machine. */
export const platformHttpLayer = layerWith(true)

/** The HTTP clients of the adapters as in live mode: addresses from DID documents are public, or refused. */
export const strictHttpLayer = layerWith(false)
