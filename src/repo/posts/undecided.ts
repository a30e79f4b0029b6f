/**
 * `p` is the post. A request for an earlier revision is void. The version before stores only the request's revision.
 */
export const isUndecided = `(p.approval_requested_revision IS NOT NULL AND p.approval_requested_revision = p.revision
  AND NOT EXISTS (SELECT FROM post_approvals a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id
    AND a.revision = p.approval_requested_revision AND a.status <> 'requested'))`
