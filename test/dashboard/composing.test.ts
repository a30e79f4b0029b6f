import { assert, describe, it } from "@effect/vitest"
import type { ApiError } from "../../src/dashboard/api/errors.ts"
import {
  type Action,
  afterSave,
  findObstacle,
  findWait,
  isFixed,
  reduce,
  wholeForm
} from "../../src/dashboard/pages/compose/composing.ts"
import { type Composing, newSession, type Upload } from "../../src/dashboard/pages/compose/composingState.ts"
import { type ComposeForm, emptyForm, formOf } from "../../src/dashboard/pages/compose/form.ts"
import { type ComposePart, emptyPart, maxParts, partsOf } from "../../src/dashboard/pages/compose/parts.ts"
import { seededRandom } from "../support/generated/seededRandom.ts"
import { post } from "./post.ts"

const now = "2026-10-20T10:00:00.000Z"
const later = "2026-10-21T10:00:00.000Z"

const part = (key: string, platforms: ComposePart["platforms"] = null): ComposePart => ({
  ...emptyPart(key),
  content: `Text ${key}`,
  platforms
})

const compose = (form: Partial<ComposeForm> = {}, session: Partial<Composing> = {}): Composing => ({
  ...newSession,
  form: { ...emptyForm(null), content: "Text first", ...form },
  ...session
})

const thread = (...keys: ReadonlyArray<string>) => compose({ thread: keys.map((key) => part(key)) })

const run = (state: Composing, ...actions: ReadonlyArray<Action>): Composing =>
  actions.reduce((current, action) => reduce(current, action), state)

const keys = ({ form }: Composing) => partsOf(form).map(({ key }) => key)
const texts = ({ form }: Composing) => partsOf(form).map(({ content }) => content)
const filesOf = ({ form }: Composing) => partsOf(form).map(({ media }) => media.map(({ id }) => id))

const upload = (key: string, of: string): Upload => ({
  key,
  part: of,
  name: `${key}.png`,
  preview: undefined,
  progress: 0,
  error: undefined,
  canRetry: true
})

const start = (key: string, of = "first"): Action => ({ type: "upload", upload: upload(key, of) })

const end = (key: string): Action => ({
  type: "uploaded",
  key,
  file: { id: `file ${key}`, alt: "", type: "image", width: 1, height: 1 }
})

const save = (kind: "draft" | "schedule" | "now", key = "key", at = now): Action => ({
  type: "save",
  kind,
  now: at,
  key
})
const write = (text: string, key = "first"): Action => ({ type: "write", key, tab: "all", text })
const removed = (key: string): Action => ({ type: "remove", key })

const problem = (status: number, path?: string): ApiError => ({
  _tag: "ApiError",
  status,
  code: "refused",
  detail: "It is refused",
  errors: path === undefined ? [] : [{ path: [path], message: "is wrong" }],
  retryAfter: null,
  requestId: null,
  problem: {}
})

const lost: Action = { type: "refused", error: { _tag: "ConnectionError" }, isSettled: false }
const refused: Action = { type: "refused", error: problem(422), isSettled: true }

describe("The parts of a thread that is being written", () => {
  it("A part is added after another one or at the end, gets the focus, and is changed", () => {
    const added = run(
      thread("2", "3"),
      { type: "add", after: "2", key: "new" },
      { type: "add", after: undefined, key: "last" },
      write("Other", "new")
    )
    assert.deepStrictEqual(texts(added), ["Text first", "Text 2", "Other", "Text 3", ""])
    assert.deepStrictEqual(added.focus, { key: "last", control: "textarea" })
  })

  it("A thread takes no more parts than it may have", () => {
    const full = thread(...Array.from({ length: maxParts - 1 }, (_, index) => `${index + 2}`))
    assert.strictEqual(run(full, { type: "add", after: undefined, key: "new" }).form, full.form)
  })

  it("The first part keeps its key where it moves, and what was second is the post's own content", () => {
    const moved = run(thread("2"), { type: "move", key: "first", by: 1 })
    assert.deepStrictEqual([moved.form.content, keys(moved)], ["Text 2", ["2", "first"]])
    assert.deepStrictEqual([moved.said, moved.focus], ["Part 1 is part 2 now", { key: "first", control: "down" }])
    assert.deepStrictEqual(texts(run(moved, { type: "move", key: "first", by: -1 })), ["Text first", "Text 2"])
  })

  it("A part for one platform alone is not moved to the beginning, nor is the part before it removed", () => {
    const state = compose({ thread: [part("2", ["twitter"])] })
    for (const action of [{ type: "move", key: "2", by: -1 }, removed("first")] as const) {
      const { form, said } = run(state, action)
      assert.deepStrictEqual([form, said], [state.form, ""])
    }
  })

  it("A part that was removed is put back where it was, once", () => {
    const before = thread("2", "3")
    const back: Action = { type: "putBack", part: part("2"), index: 1 }
    const without = run(before, removed("2"))
    assert.deepStrictEqual([keys(without), without.focus?.key], [["first", "3"], "3"])
    assert.deepStrictEqual(keys(run(without, back, back)), ["first", "2", "3"])
    const first = run(before, removed("first"), { type: "putBack", part: part("first"), index: 0 })
    assert.deepStrictEqual(texts(first), texts(before))
  })

  it("The only part is not removed", () => {
    assert.deepStrictEqual(keys(run(compose(), removed("first"))), ["first"])
  })

  it("A text for one platform is written beside that of all", () => {
    const { form } = run(compose(), { type: "write", key: "first", tab: "bluesky", text: "Own" })
    assert.deepStrictEqual([form.content, form.overrides], ["Text first", { bluesky: "Own" }])
  })
})

describe("Files of a form that is being written", () => {
  it("An upload becomes a file of its part, also where the part was moved meanwhile", () => {
    const state = run(thread("2"), start("a", "2"), { type: "move", key: "2", by: -1 }, end("a"))
    assert.deepStrictEqual([filesOf(state), state.uploads], [[["file a"], []], []])
  })

  it("A part that is removed takes its upload along, and the file adds nothing when the part is put back", () => {
    const state = run(thread("2"), start("a", "2"), start("b"), removed("2"))
    assert.deepStrictEqual(
      state.uploads.map(({ key }) => key),
      ["b"]
    )
    const back = run(state, { type: "putBack", part: part("2"), index: 1 }, end("a"), end("b"))
    assert.deepStrictEqual(filesOf(back), [["file b"], []])
  })

  it("An upload that was cancelled adds nothing", () => {
    const { form } = run(compose(), start("a"), { type: "cancelUpload", key: "a" }, end("a"))
    assert.deepStrictEqual(form.media, [])
  })

  it("A file that arrives while the split of its part is shown stays with the beginning", () => {
    const state = run(compose(), start("a"), { type: "askSplit", key: "first" }, end("a"), {
      type: "split",
      tab: "all",
      platforms: ["twitter"],
      pieces: [
        { key: "unused", content: "One" },
        { key: "new", content: "Two" }
      ]
    })
    assert.deepStrictEqual(
      [texts(state), filesOf(state)],
      [
        ["One", "Two"],
        [["file a"], []]
      ]
    )
    assert.deepStrictEqual([state.splitting, state.focus?.key], [undefined, "first"])
  })

  it("A save waits for a file that is on its way, and is refused after its upload has failed", () => {
    const waiting = run(compose(), start("a"), save("draft"))
    const failed = run(waiting, { type: "uploading", key: "a", change: { error: "Failed" } })
    assert.deepStrictEqual(
      [waiting.waiting, findWait(waiting, "draft"), waiting.saving],
      ["draft", "upload", undefined]
    )
    assert.isUndefined(findWait(failed, "draft"))
    const refusedSave = run(failed, save("draft"))
    assert.deepStrictEqual([refusedSave.waiting, refusedSave.saving], [undefined, undefined])
    assert.match(findObstacle(refusedSave, "draft") ?? "", /could not be uploaded/)
    const done = run(waiting, end("a"))
    assert.isUndefined(findWait(done, "draft"))
    assert.deepStrictEqual(run(done, save("draft")).saving, { kind: "draft", at: null, key: "key" })
    assert.isUndefined(run(waiting, { type: "stopWaiting" }).waiting)
  })

  it("A file that is processed holds up a post, and no draft", () => {
    const file = { id: "1", alt: "", type: null, width: null, height: null }
    const state = run(compose({ at: later, media: [file] }), save("schedule"))
    assert.deepStrictEqual([state.waiting, findWait(state, "schedule"), state.saving], ["schedule", "file", undefined])
    assert.isDefined(run(compose({ media: [file] }), save("draft")).saving)
    const broken = run(compose({ at: later, media: [{ ...file, problem: "It is broken" }] }), save("schedule"))
    assert.isUndefined(broken.saving)
    assert.match(findObstacle(broken, "schedule") ?? "", /It is broken\. Remove it/)
  })
})

describe("A draft that saves itself", () => {
  const key = "own key"
  const autosave: Action = { type: "autosave", platforms: ["twitter"], now: new Date(now), key }
  const stored = (state: Composing): Action => ({
    type: "autosaved",
    form: state.autosaving ?? { ...emptyForm(null), platforms: [] },
    id: "1",
    base: '"1-draft"'
  })

  it("The first time creates it, under a key and with a content that a repetition has too", () => {
    const sent = run(compose(), autosave)
    const again = run(sent, { type: "notAutosaved", error: problem(503), isSettled: false }, write("More"), {
      ...autosave,
      key: "other"
    })
    assert.deepStrictEqual([again.form.attempt, again.autosaving], [key, sent.autosaving])
    assert.strictEqual(again.autosaving?.content, "Text first")
    const done = run(again, stored(again))
    assert.deepStrictEqual(
      [done.form.content, done.form.id, done.form.base, done.form.attempt, done.form.attempted],
      ["More", "1", '"1-draft"', undefined, undefined]
    )
    assert.strictEqual(run(done, autosave).autosaving?.content, "More")
  })

  it("A save that is asked for meanwhile waits for it, and what is typed meanwhile stays", () => {
    const asked = run(compose({ at: later }), autosave, write("Typed meanwhile"), save("schedule"))
    assert.deepStrictEqual([asked.waiting, asked.saving, findWait(asked, "schedule")], ["schedule", undefined, "save"])
    const done = run(asked, stored(asked))
    assert.isUndefined(findWait(done, "schedule"))
    const saving = run(done, save("schedule"))
    assert.deepStrictEqual([saving.form.content, saving.form.base], ["Typed meanwhile", '"1-draft"'])
  })

  it("Nothing is saved by itself during a save, after a lost creation, with another version, or once it is saved", () => {
    const other = formOf(post("a"))
    const behind = run(compose(other), autosave, {
      type: "notAutosaved",
      error: { ...problem(412), code: "revision_mismatch" },
      isSettled: true
    })
    const states = [
      run(compose(), save("draft")),
      run(compose(), save("draft"), lost),
      run(compose(), save("draft"), { type: "saved" }),
      run(compose(), refused),
      compose({}, { theirs: post("a") }),
      compose({}, { isLocked: true }),
      behind
    ]
    assert.deepStrictEqual(
      states.map((state) => run(state, autosave).autosaving),
      states.map(() => undefined)
    )
    assert.isDefined(run(behind, { type: "showTheirs", theirs: post("a") }, { type: "keepMine" }, autosave).autosaving)
  })

  it("A draft whose scheduling was refused for a field is saved by itself", () => {
    const error: Action = { type: "refused", error: problem(400, "content"), isSettled: true }
    assert.isDefined(run(compose({ at: later }), save("schedule"), error, autosave).autosaving)
  })

  it("A time that has passed is left out", () => {
    assert.isNull(run(compose({ at: "2026-10-20T09:00:00.000Z" }), autosave).autosaving?.at)
    assert.strictEqual(run(compose({ at: later }), autosave).autosaving?.at, later)
  })
})

describe("Saving a form", () => {
  it("While it is saved nothing is typed into it or added, and no second save begins", () => {
    const state = run(compose(), save("draft"))
    const after = run(state, write("Other"), { type: "add", after: undefined, key: "new" }, save("now", "other"))
    assert.deepStrictEqual([after.form, after.saving], [state.form, state.saving])
  })

  it("A tag that is not ended is saved, and ending no tag changes nothing", () => {
    const state = run(compose({ tags: ["a"] }), { type: "typeTag", text: " b " })
    assert.deepStrictEqual(wholeForm(state).tags, ["a", "b"])
    const ended = run(state, { type: "endTag" })
    assert.deepStrictEqual([ended.form.tags, ended.tagText], [["a", "b"], ""])
    assert.strictEqual(run(ended, { type: "endTag" }).form, ended.form)
  })

  it("A post without a time asks for it, and a refused time asks again", () => {
    const asked = run(compose(), save("schedule"))
    assert.deepStrictEqual([asked.saving, asked.isAskingTime, asked.isAsked], [undefined, true, true])
    const error: Action = { type: "refused", error: problem(422, "schedule_at"), isSettled: true }
    assert.isTrue(run(compose({ at: later }), save("schedule"), error).isAskingTime)
  })

  it("A blank post says that a text is missing, and asks for no time", () => {
    for (const kind of ["schedule", "now"] as const) {
      const blank = run(compose({ content: "" }), save(kind))
      assert.deepStrictEqual([blank.isAskingTime, blank.isAsked, blank.saving], [false, true, undefined])
    }
    const withFile = run(compose({ content: "" }), start("a"), save("schedule"))
    assert.isTrue(withFile.isAskingTime)
  })

  it("Tags that can't be added stay in their field, and hold up the save", () => {
    const long = run(compose(), { type: "typeTag", text: `a, ${"x".repeat(51)}` }, { type: "endTag" }, save("draft"))
    assert.deepStrictEqual([long.form.tags, long.tagText, long.saving], [["a"], "x".repeat(51), undefined])
    assert.match(findObstacle(long, "draft") ?? "", /at most 50 characters/)
  })

  it("A creation whose response was lost keeps its key and its time, also with another text", () => {
    const open = run(compose(), save("now"), lost, write("Other"))
    const again = run(open, save("now", "second", later))
    assert.deepStrictEqual([open.form.attempt, again.saving], ["key", { kind: "now", at: now, key: "key" }])
    assert.strictEqual(run(open, save("draft", "second")).saving?.at, null)
  })

  it("A creation that was refused for certain has another key and another time", () => {
    const settled = run(compose(), save("now"), refused)
    assert.isUndefined(settled.form.attempt)
    const again = run(settled, save("now", "second", later))
    assert.deepStrictEqual(again.saving, { kind: "now", at: later, key: "second" })
  })

  it("The key of a creation is kept with the form before it is sent, and a change keeps none", () => {
    assert.strictEqual(run(compose(), save("draft")).form.attempt, "key")
    const change = compose({ base: '"1-draft"' })
    assert.strictEqual(run(change, save("draft")).form, change.form)
  })

  it("What ends after it is saved changes nothing: no upload or Undo begins another draft", () => {
    const saved = run(thread("2"), removed("2"), save("draft"), start("a"), { type: "saved" })
    const late = run(saved, end("a"), { type: "putBack", part: part("2"), index: 1 }, write("Other"), lost)
    assert.strictEqual(late, saved)
  })
})

describe("A form whose post somebody else has changed", () => {
  const theirs = post("1", { content: "Theirs", revision: 2 })
  const conflict: Action = { type: "conflict", error: problem(412), theirs }
  const mine = () => compose({ base: '"1-scheduled"', at: later, thread: [part("2")] })

  it("What was written stays, and is based on their version once the person keeps it", () => {
    const shown = run(mine(), save("schedule"), conflict)
    assert.deepStrictEqual([shown.form, shown.theirs, shown.saving], [mine().form, theirs, undefined])
    const kept = run(shown, { type: "keepMine" })
    assert.deepStrictEqual([kept.form, kept.theirs], [{ ...mine().form, base: formOf(theirs).base }, undefined])
  })

  it("Their version closes an open split and ends all uploads, also of parts whose keys it has", () => {
    const shown = run(mine(), start("a", "2"), start("b"), { type: "askSplit", key: "first" }, conflict)
    const taken = run({ ...shown, form: formOf(theirs) }, { type: "restarted" })
    assert.deepStrictEqual(
      [taken.theirs, taken.splitting, findObstacle(taken, "draft")],
      [undefined, undefined, undefined]
    )
    assert.deepStrictEqual(filesOf(run(taken, end("a"), end("b"))), [[]])
  })

  it("While their version is read, the form can be changed, and is not saved again", () => {
    const reading = run(mine(), save("schedule"), { type: "reread" })
    assert.isFalse(isFixed(reading))
    const typed = run(reading, { type: "write", key: "first", tab: "all", text: "More" }, save("schedule"))
    assert.deepStrictEqual([typed.form.content, typed.saving], ["More", reading.saving])
  })

  it("What is being saved gets no part back and no split", () => {
    const saving = run(mine(), { type: "askSplit", key: "first" }, save("schedule"))
    assert.isTrue(isFixed(saving))
    const back = run(saving, { type: "putBack", part: part("3"), index: 0 })
    const pieces = [part("unused"), part("next")]
    assert.strictEqual(run(back, { type: "split", tab: "all", platforms: [], pieces }).form, saving.form)
  })

  it("A conflict that can't be read keeps what was written", () => {
    const state = run(mine(), save("schedule"), { ...conflict, theirs: undefined })
    assert.deepStrictEqual([state.form, state.theirs, state.saving], [mine().form, undefined, undefined])
  })
})

describe("A form with locked fields", () => {
  const locked = (at: string | null = later) => compose({ base: '"1-scheduled"', at }, { isLocked: true })

  it("Only its time and tags can be changed", () => {
    const state = run(
      locked(),
      write("Other"),
      { type: "add", after: undefined, key: "new" },
      { type: "form", change: { at: now, tags: ["a"], platforms: [] } }
    )
    assert.deepStrictEqual(state.form, { ...locked().form, at: now, tags: ["a"] })
  })

  it("It needs a time where the post is scheduled, and waits for no file", () => {
    const timeless = run(locked(null), save("schedule"))
    assert.deepStrictEqual([timeless.saving, timeless.isAskingTime], [undefined, true])
    const file = { id: "1", alt: "", type: null, width: null, height: null }
    assert.isDefined(run({ ...locked(), form: { ...locked().form, media: [file] } }, save("schedule")).saving)
  })

  it("After a conflict it says so, and the next save is over the current version", () => {
    const error = problem(412)
    const theirs = post("1", { revision: 2 })
    const state = run(locked(), save("schedule"), { type: "conflict", error, theirs })
    assert.deepStrictEqual([state.failure, state.theirs, state.form.base], [error, undefined, formOf(theirs).base])
  })
})

describe("Drawn sequences of what can happen to a form", () => {
  const draw = (random: () => number, state: Composing, step: number): Action => {
    const pick = <A>(items: ReadonlyArray<A>, otherwise: A): A =>
      items[Math.floor(random() * items.length)] ?? otherwise
    const key = pick(keys(state), "first")
    const running = pick(state.uploads, upload("none", "first")).key
    const actions: ReadonlyArray<Action> = [
      write(`Text ${step}`, key),
      { type: "write", key, tab: "twitter", text: `Own ${step}` },
      { type: "add", after: pick([key, undefined], undefined), key: `part ${step}` },
      { type: "move", key, by: pick([-1, 1] as const, 1) },
      removed(key),
      { type: "putBack", part: part(pick(["old", key], "old")), index: Math.floor(random() * 4) },
      { type: "part", key, change: () => ({ platforms: pick([["twitter"], null] as const, null) }) },
      { type: "askSplit", key },
      { type: "split", tab: "all", platforms: ["twitter", "bluesky"], pieces: [part("unused"), part(`split ${step}`)] },
      start(`upload ${step}`, key),
      end(running),
      { type: "cancelUpload", key: running },
      { type: "uploading", key: running, change: { error: "Failed" } },
      save(pick(["draft", "schedule", "now"] as const, "draft"), `key ${step}`),
      lost,
      refused,
      { type: "typeTag", text: `tag ${step}` },
      { type: "endTag" },
      { type: "form", change: { at: pick([later, null], null) } }
    ]
    return pick(actions, lost)
  }

  const files = (state: Composing) => filesOf(state).flat().length

  /** The fault of a state after an action; undefined if there is none. */
  const findFault = (before: Composing, after: Composing, { type }: Action): string | undefined => {
    const all = keys(after)
    if (new Set(all).size !== all.length) return "A key is there twice"
    if (!after.uploads.every((one) => all.includes(one.part))) return "An upload has no part"
    if (after.saving !== undefined) {
      if (after.form.attempt !== after.saving.key) return "The key of what is saved is not kept"
      if (before.saving === undefined && after.uploads.length > 0) return "It is saved without a file"
      if (before.saving !== undefined && type === "write" && after.form !== before.form) return "It changes while saved"
    }
    const mayChangeFiles = ["remove", "putBack", "uploaded"].includes(type)
    return mayChangeFiles || files(after) === files(before) ? undefined : "A file is lost or made"
  }

  it("Parts have one key each, uploads a part, and what is saved its key and all files, for any of 200 seeds", () => {
    for (let seed = 0; seed < 200; seed++) {
      const random = seededRandom(seed)
      let state = compose()
      for (let step = 0; step < 60; step++) {
        const action = draw(random, state, step)
        const next = reduce(state, action)
        assert.isUndefined(findFault(state, next, action), `Seed ${seed}, after ${JSON.stringify(action)}`)
        state = next
      }
    }
  })

  it("A locked form keeps its parts, for any of 50 seeds", () => {
    for (let seed = 0; seed < 50; seed++) {
      const random = seededRandom(seed)
      let state = compose({ base: '"1-scheduled"', thread: [part("2")] }, { isLocked: true })
      const whole = partsOf(state.form)
      for (let step = 0; step < 60; step++) state = reduce(state, draw(random, state, step))
      assert.deepStrictEqual(partsOf(state.form), whole)
    }
  })
})

describe("afterSave", () => {
  it("A person goes back to the calendar or list from which they came, as they had filtered it", () => {
    for (const from of ["/", "/?view=week&date=2026-11-20", "/posts?status=draft", "/approvals"]) {
      assert.strictEqual(afterSave("/posts/1", from), from)
    }
  })

  it("A person who came from another page, or from none, sees the post", () => {
    for (const from of [undefined, "/posts/1", "/posts/2", "/settings/profile", "/compose", "/login?next=%2Fcompose"]) {
      assert.strictEqual(afterSave("/posts/1", from), "/posts/1")
    }
  })
})
