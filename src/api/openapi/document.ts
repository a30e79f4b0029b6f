import { Record, Struct } from "effect"
import type { HttpApi, HttpApiGroup, OpenApi } from "effect/http-api"
import { readBodies } from "./bodies.ts"
import { documentOperations } from "./responses.ts"
import { nameSchemas, rewriteSchemas } from "./schemas.ts"
import { webhooks } from "./webhooks.ts"

const isSpec = (document: object): document is OpenApi.OpenAPISpec =>
  "openapi" in document && "paths" in document && "components" in document

/**
 * Completes the OpenAPI document that Effect derives from the contract, with what the contract's annotations can't
 * express. Effect passes the document untyped.
 */
export const completeDocument =
  <Id extends string, Groups extends HttpApiGroup.Constraint>(contract: HttpApi.HttpApi<Id, Groups>) =>
  (derived: Record<string, unknown>): Record<string, unknown> => {
    const { document, choices } = rewriteSchemas(derived)
    if (!isSpec(document)) return derived
    const spec: OpenApi.OpenAPISpec = document
    const bodies = readBodies(contract)
    const components = {
      schemas: nameSchemas(spec.components.schemas, choices, bodies),
      // Some tools recognize the name of an HTTP scheme only in lower case.
      securitySchemes: Record.map(spec.components.securitySchemes, (scheme) =>
        scheme.type === "http" ? { ...scheme, scheme: scheme.scheme.toLowerCase() } : scheme
      )
    }
    // The document's own `security` is left out, because each operation has one.
    return { ...documentOperations({ ...Struct.omit(spec, ["security"]), components }, bodies), webhooks }
  }
