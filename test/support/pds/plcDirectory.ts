import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"

const Operation = Schema.Struct({
  type: Schema.String,
  rotationKeys: Schema.Array(Schema.String),
  verificationMethods: Schema.Record(Schema.String, Schema.String),
  alsoKnownAs: Schema.Array(Schema.String),
  services: Schema.Record(Schema.String, Schema.Struct({ type: Schema.String, endpoint: Schema.String })),
  prev: Schema.NullOr(Schema.String),
  sig: Schema.String
})
type Operation = typeof Operation.Type

const document = (did: string, { alsoKnownAs, services, verificationMethods }: Operation) => ({
  "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
  id: did,
  alsoKnownAs,
  verificationMethod: Object.entries(verificationMethods).map(([name, key]) => ({
    id: `${did}#${name}`,
    type: "Multikey",
    controller: did,
    publicKeyMultibase: key.replace("did:key:", "")
  })),
  service: Object.entries(services).map(([name, { endpoint, type }]) => ({
    id: `#${name}`,
    type,
    serviceEndpoint: endpoint
  }))
})

const notRegistered = HttpServerResponse.jsonUnsafe({ message: "DID not registered" }, { status: 404 })

/** A did:plc directory on loopback that accepts every operation. Returns its address. */
export const plcDirectory = Effect.gen(function* () {
  const operations = new Map<string, Operation>()
  const find = (toJson: (did: string, operation: Operation) => unknown) =>
    Effect.map(HttpRouter.params, ({ did = "" }) => {
      const operation = operations.get(did)
      return operation === undefined ? notRegistered : HttpServerResponse.jsonUnsafe(toJson(did, operation))
    })
  const routes = HttpRouter.addAll([
    HttpRouter.route(
      "POST",
      "/:did",
      Effect.gen(function* () {
        const { did = "" } = yield* HttpRouter.params
        operations.set(did, yield* HttpServerRequest.schemaBodyJson(Operation))
        return HttpServerResponse.jsonUnsafe({})
      })
    ),
    HttpRouter.route("GET", "/:did", find(document)),
    HttpRouter.route(
      "GET",
      "/:did/log/last",
      find((_, operation) => operation)
    ),
    HttpRouter.route(
      "GET",
      "/:did/data",
      find((did, operation) => ({ did, ...operation }))
    )
  ])
  const server = yield* NodeHttpServer.make(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })
  yield* server.serve(Effect.orDie(yield* HttpRouter.toHttpEffect(routes)))
  // The PDS does not resolve identities at a host that is an IP address.
  return HttpServer.formatAddress(server.address).replace("127.0.0.1", "localhost")
})
