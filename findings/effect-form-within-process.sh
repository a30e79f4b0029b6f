#!/bin/sh
# effect 4.1.0: a form that becomes a server's request within the process has no Content-Type.
#
# `HttpServerRequest.fromClientRequest` serves a client's request without a network, for example a contract's own client
# over the process's router. `fetch` adds `multipart/form-data; boundary=…` to a form. One expects the same here. Seen:
# the header is absent, and a multipart endpoint refuses the request. Encoding the form first, with
# `new Response(form)`, gives the bytes and the header.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund effect@4.1.0 >/dev/null
cat >program.mjs <<'JS'
import { HttpClientRequest, HttpServerRequest } from "effect/http"

const form = new FormData()
form.append("file", new Blob(["bytes"]), "file")
const sent = HttpClientRequest.bodyFormData(HttpClientRequest.post("http://localhost/upload"), form)
const received = HttpServerRequest.fromClientRequest(sent)
console.log(`content-type within the process: ${received.headers["content-type"]}`)
console.log(`content-type of new Response(form): ${new Response(form).headers.get("content-type")?.slice(0, 30)}…`)
const same = received.headers["content-type"] === undefined
console.log(same ? "as stated" : "changed")
process.exit(same ? 0 : 1)
JS
node program.mjs
