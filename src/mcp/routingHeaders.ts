import { Predicate } from "effect"

export const versionMember = "io.modelcontextprotocol/protocolVersion"

export const member = (value: unknown, name: string): unknown =>
  Predicate.isObject(value) ? Reflect.get(value, name) : undefined

/** Header values can contain only ASCII, so other text is encoded in base64. */
const asHeader = (text: string): string =>
  /^[\x20-\x7e]+$/.test(text) && text.trim() === text && !text.startsWith("=?")
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`

/** Headers that repeat parts of the body, as the current revision requires. */
export const routingHeaders = (body: unknown): Record<string, string> => {
  const params = member(body, "params")
  const [version, method] = [member(member(params, "_meta"), versionMember), member(body, "method")]
  const name = member(params, method === "resources/read" ? "uri" : "name")
  if (typeof version !== "string" || typeof method !== "string") return {}
  return {
    "mcp-protocol-version": asHeader(version),
    "mcp-method": asHeader(method),
    ...(typeof name === "string" && { "mcp-name": asHeader(name) })
  }
}
