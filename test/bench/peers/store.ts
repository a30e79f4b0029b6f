// Shared by the peers that serve requests: the statements, prepared by postgres.js, and the cache of keys.
import { hash } from "node:crypto"
import postgres from "postgres"

/** As many connections as in the service's pool. */
const poolSize = 10
/** As long as in the service's own cache of keys. */
const keyLifetime = 4_000

const sql = postgres(process.env["DATABASE_URL"] ?? "", { max: poolSize, onnotice: () => undefined })

/** The caller that a key identifies. */
interface Caller {
  readonly keyId: string
  readonly workspaceId: string
}

const keys = new Map<string, { readonly caller: Caller | undefined; readonly until: number }>()

/** Finds the caller by the header `Authorization`. */
export const findCaller = async (authorization: string | undefined): Promise<Caller | undefined> => {
  if (authorization?.startsWith("Bearer ") !== true) return undefined
  const hashed = hash("sha256", authorization.slice("Bearer ".length), "hex")
  const now = performance.now()
  const known = keys.get(hashed)
  if (known !== undefined && known.until > now) return known.caller
  const [caller] = await sql<Array<Caller>>`
    SELECT id AS "keyId", workspace_id AS "workspaceId" FROM api_keys
    WHERE hash = decode(${hashed}, 'hex') AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`
  keys.set(hashed, { caller, until: now + keyLifetime })
  return caller
}

/** A post with its targets, as the API shows it. */
interface Post {
  readonly id: string
}

const columns = sql`
  p.id, p.status, p.content, p.scheduled_at, p.published_at, p.tags, p.platform_overrides, p.platform_settings,
  p.media, p.card, p.thread, p.reply_to,
  CASE WHEN p.approval_requested_revision IS NOT NULL THEN (SELECT json_build_object('status', a.status, 'revision', a.revision)
    FROM post_approvals a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id
      AND a.revision = p.approval_requested_revision) END AS approval,
  p.group_id, p.copied_from, p.revision,
  (SELECT json_build_object('type', 'key', 'id', k.id, 'name', k.name) FROM api_keys k
    WHERE k.id = p.created_by_key) AS created_by,
  (SELECT json_agg(json_build_object(
      'status', t.status,
      'platform_post_url', t.platform_post_url,
      'published_at', to_char(t.published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'error', CASE WHEN t.error_code IS NOT NULL THEN json_build_object(
        'code', t.error_code, 'message', t.error_message, 'retryable', t.error_retryable) END,
      'account_id', t.account_id,
      'copied_to', t.copied_to,
      'parts', t.parts,
      'integrations', json_build_object('platform', t.platform)
    ) ORDER BY t.position)
    FROM post_targets t WHERE t.workspace_id = p.workspace_id AND t.post_id = p.id) AS post_targets,
  p.created_at`

export const findPost = async (workspaceId: string, id: string): Promise<Post | undefined> => {
  const [post] = await sql<Array<Post>>`
    SELECT ${columns} FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.id = ${id}`
  return post
}

/** A page of posts, newest first, and the cursor of the next page. */
export const listPosts = async (workspaceId: string, limit: number) => {
  const posts = await sql<Array<Post>>`
    SELECT ${columns} FROM posts p WHERE p.workspace_id = ${workspaceId} ORDER BY p.id DESC LIMIT ${limit + 1}`
  const page = posts.slice(0, limit)
  const position = { v: 1, before: page.at(-1)?.id, of: {} }
  return {
    data: page,
    next_cursor: posts.length > limit ? Buffer.from(JSON.stringify(position)).toString("base64url") : null
  }
}

/** The body of a request that creates a post. */
export interface NewPost {
  readonly content: string
  readonly platforms: ReadonlyArray<string>
  readonly schedule_at?: string | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  readonly group_id?: string | undefined
}

/** Stores a post and its targets in one transaction. Undefined if the workspace has no account on a platform. */
export const createPost = async (caller: Caller, { content, group_id, platforms, schedule_at, tags }: NewPost) => {
  const status = schedule_at === undefined ? "draft" : "scheduled"
  const scheduledAt = schedule_at === undefined ? null : new Date(schedule_at)
  const created = await sql.begin(async (transaction) => {
    const [post] = await transaction<Array<Post>>`
      INSERT INTO posts (id, workspace_id, group_id, status, content, scheduled_at, tags, platform_overrides,
        platform_settings, created_at, created_by_key)
      VALUES (uuidv7(), ${caller.workspaceId}, ${group_id ?? null}, ${status}, ${content}, ${scheduledAt},
        ${[...(tags ?? [])]}, '{}', '{}', now(), ${caller.keyId})
      RETURNING id`
    const targets = await transaction`
      INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status,
        due_since, due_at)
      SELECT uuidv7(), i.workspace_id, ${post?.id ?? ""}, i.id, i.account_id, i.platform, requested.position,
        'pending', ${scheduledAt}, ${scheduledAt}
      FROM unnest(${[...platforms]}::text[]) WITH ORDINALITY AS requested(platform, position)
      JOIN integrations i ON i.workspace_id = ${caller.workspaceId} AND i.platform = requested.platform
        AND i.status <> 'disconnected'
      RETURNING id`
    return targets.length === platforms.length ? post : undefined
  })
  return created && { id: created.id, status, scheduled_at: scheduledAt, platforms }
}
