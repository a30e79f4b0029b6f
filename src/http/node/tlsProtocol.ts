import { constants } from "node:crypto"

/** TLS 1.2 or later, and of 1.2 only what keeps past traffic secret should the key be lost: forward secrecy and AEAD. */
export const tlsProtocol = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305"
  ].join(":"),
  // Another handshake in the same connection costs the server far more than the client that asks for it.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION
} as const
