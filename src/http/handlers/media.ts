import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { defaultMediaLimit } from "../../api/media/Media.ts"
import { MediaPosition } from "../../api/pagination.ts"
import type { LibraryFile } from "../../domain/media/libraryFile.ts"
import { type Actor, ownKeys } from "../../domain/people/actor.ts"
import { scopeAuthority } from "../../domain/people/authority.ts"
import { MediaLibrary } from "../../media/MediaLibrary.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { orProblem } from "../problems.ts"
import { receiveUpload } from "./mediaUpload.ts"
import { asActor, asData, fetchPage, inWorkspace, refusePaging } from "./shared.ts"

const noOffsets = refusePaging(
  ["page", "offset"],
  "This list's pages go by cursor: use the next_cursor of the previous page as cursor"
)

const authority = (actor: Actor) => scopeAuthority(actor, "media:write")

export const mediaLayer = HttpApiBuilder.group(
  Api,
  "media",
  Effect.fn(function* (handlers) {
    const { media } = yield* Repo
    const library = yield* MediaLibrary
    const baseUrl = yield* BaseUrl
    const created = (data: LibraryFile) =>
      HttpApiSchema.withHeaders({ body: { data }, headers: { location: `${baseUrl}/v1/media/${data.id}` } })

    return handlers
      .handle("list", ({ query: { cursor, limit = defaultMediaLimit } }) =>
        Effect.andThen(
          noOffsets,
          inWorkspace((workspaceId) =>
            fetchPage(
              limit,
              (count) => media.list(workspaceId, { limit: count, before: cursor?.before ?? null }),
              (last) => MediaPosition.make({ before: last.id })
            )
          ).pipe(orProblem)
        )
      )
      .handleRaw("upload", ({ request }) =>
        receiveUpload(request).pipe(Effect.map(created), Effect.provideService(MediaLibrary, library))
      )
      .handle("fromUrl", ({ payload: { alt = "", url } }) =>
        asActor((actor) => library.addFromUrl(authority(actor), { url, alt })).pipe(Effect.map(created), orProblem)
      )
      .handle("get", ({ params: { id } }) =>
        orProblem(asData(inWorkspace((workspaceId) => media.get(workspaceId, id))))
      )
      .handle("update", ({ params: { id }, payload: { alt } }) =>
        orProblem(asData(asActor((actor) => library.setAlt(authority(actor), id, alt, ownKeys(actor)))))
      )
      .handle("delete", ({ params: { id } }) =>
        asActor((actor) => library.remove(actor.workspaceId, id, authority(actor), ownKeys(actor))).pipe(
          Effect.as({ data: { id, deleted: true as const } }),
          orProblem
        )
      )
  })
)
