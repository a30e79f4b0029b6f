import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

/** A value in DER: its tag, its length and its content. */
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>) => {
  const body = Buffer.concat(parts)
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255]
  return Buffer.from([tag, ...length, ...body])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const time = (date: Date) => der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`))

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const commonName = oid("550403")
const subjectAltName = oid("551d11")

const day = 86_400_000

/** A self-signed certificate for 127.0.0.1 and its private key, both as PEM. */
export const selfSignedCertificate = (name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const subject = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))))
  const addresses = sequence(der(0x87, Buffer.from([127, 0, 0, 1])))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...randomBytes(15)])),
    ecdsaWithSha256,
    subject,
    sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + day))),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, addresses))))
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey))
  const certificate = sequence(content, ecdsaWithSha256, signature)
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? []
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
