import { describe, expect, it } from "vitest"
import { readRelated } from "../../../src/platforms/youtube/standIn/related.ts"

const read = (body: string, type = 'multipart/related; boundary="mark"') => {
  const parts = readRelated({ bytes: new TextEncoder().encode(body), headers: { "content-type": type } })
  return parts === undefined ? undefined : { ...parts, file: new TextDecoder().decode(parts.file) }
}

const json = "--mark\r\ncontent-type: application/json\r\n\r\n{}"
const video = "--mark\r\ncontent-type: video/mp4\r\n\r\na\r\n\r\n--b"

describe("A body with metadata and a file", () => {
  it("has two parts, and the file keeps its line ends", () => {
    expect(read(`${json}\r\n${video}\r\n--mark--`)).toEqual({ metadata: "{}", file: "a\r\n\r\n--b" })
    expect(read(`${json}\r\n${video}\r\n--mark--`, "multipart/related; boundary=mark")?.metadata).toBe("{}")
  })

  it.each([
    ["one part", `${json}\r\n--mark--`],
    ["no end", `${json}\r\n${video}`],
    ["nothing", ""]
  ])("With %s, it is none", (_, body) => {
    expect(read(body)).toBeUndefined()
  })

  it("A form is none", () => {
    expect(read(`${json}\r\n${video}\r\n--mark--`, "multipart/form-data; boundary=mark")).toBeUndefined()
  })
})
