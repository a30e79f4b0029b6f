import { type Array as Arr, Context, Effect, Exit, Latch, Layer, Option } from "effect"
import { ClaimLost, type DatabaseUnavailable } from "../domain/errors.ts"
import { awaitsAddress, isRecognized, type TargetSettlement } from "../domain/publishing/settlement.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { batchBounds, mostUnwritten } from "../repo/batchBounds.ts"
import { makeBatch } from "../repo/makeBatch.ts"
import { isLockConflict } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import type { Claim, SettlementOfClaim } from "../repo/targets/Targets.ts"
import { writeGrace, writeOnce } from "../worker/retryWhileUnavailable.ts"
import { MeansToSettle } from "./MeansToSettle.ts"

type Settled = Exit.Exit<void, ClaimLost | DatabaseUnavailable>

const needsReconnect = ({ settlement }: SettlementOfClaim): boolean =>
  settlement._tag === "Failed" && settlement.error.code === "needs_reconnect"

type AccountClaim = Pick<Claim, "accountId" | "platform" | "workspaceId"> & {
  readonly integration: Pick<Claim["integration"], "id" | "accountId" | "username" | "version">
}

const makeBacklog = () => {
  const isCaughtUp = Latch.makeUnsafe(true)
  let unwritten = 0
  const count = (outcomes: number) =>
    Effect.sync(() => {
      unwritten += outcomes
      if (unwritten < mostUnwritten) isCaughtUp.openUnsafe()
      else isCaughtUp.closeUnsafe()
    })
  return {
    whileUnwritten: <A, E, R>(write: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        count(1),
        () => write,
        () => count(-1)
      ),
    caughtUp: isCaughtUp.await
  }
}

export class Settlements extends Context.Service<
  Settlements,
  {
    /**
     * Writes a settlement and its notifications, in one transaction with settlements that arrive together. A settlement
     * that can't be written, or whose claim is lost, fails alone. An interruption leaves the write two seconds. Run it
     * uninterruptibly.
     */
    readonly settle: (
      claim: Claim,
      settlement: TargetSettlement
    ) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
    /** Announces an outcome, for which settlements wait briefly. Returns a function that withdraws it. */
    readonly expectOutcome: () => () => void
    readonly whileUnwritten: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Waits while 48 outcomes are unwritten, because a kill of the process would leave all of them unknown. */
    readonly caughtUp: Effect.Effect<void>
    /** Marks that the account has to be connected again, and notifies its workspace. Idempotent. */
    readonly requireReconnect: (claim: AccountClaim, message: string) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("social-publisher/publishing/Settlements") {
  static readonly layer = Layer.effect(
    Settlements,
    Effect.gen(function* () {
      const repo = yield* Repo
      const notifier = yield* Notifier
      const means = yield* MeansToSettle

      const writeAll = (batch: Arr.NonEmptyReadonlyArray<SettlementOfClaim>) =>
        Effect.map(
          repo.targets.settleAll(batch, ({ lost, posts }) =>
            notifier.postsSettled(
              posts,
              batch.filter(({ claim }) => !lost.includes(claim))
            )
          ),
          ({ lost }) =>
            batch.map(({ claim }): Settled => (lost.includes(claim) ? Exit.fail(new ClaimLost()) : Exit.void))
        )

      /** Runs in the caller's transaction. */
      const storeOne = Effect.fnUntraced(function* (each: SettlementOfClaim) {
        const post = yield* repo.targets.settle(each.claim, each.settlement)
        yield* notifier.postsSettled([post], [each])
      })

      /** Does not use the batches' connection, because several such writes may wait for locked rows. */
      const writeAlone = (each: SettlementOfClaim) => repo.transaction(storeOne(each))

      const writeBatch = (
        batch: Arr.NonEmptyReadonlyArray<SettlementOfClaim>
      ): Effect.Effect<ReadonlyArray<Settled>, DatabaseUnavailable> => {
        const targets = new Set(batch.map(({ claim }) => claim.targetId))
        // Two claims of one target are written one by one, because one of these claims is lost.
        return targets.size < batch.length
          ? Effect.forEach(batch, (each) => Effect.exit(writeAlone(each)))
          : writeAll(batch)
      }

      /** Claims whose post was locked. A batch with one of these claims would wait for the lock again. */
      const metLock = new WeakSet<Claim>()

      /** Claims whose outcome the database refused. A batch with one of these claims would fail again. */
      const refused = new WeakSet<Claim>()

      const note = (claim: Claim, error: ClaimLost | DatabaseUnavailable) =>
        Effect.sync(() => {
          if (error._tag === "DatabaseUnavailable") refused.add(claim)
          if (isLockConflict(error)) metLock.add(claim)
        })

      /** While the database stores no outcomes at all, refused settlements stay in batches, because many wait. */
      const isWrittenAlone = (claim: Claim) =>
        metLock.has(claim) || !refused.has(claim)
          ? Effect.succeed(metLock.has(claim))
          : Effect.map(means.refusal, Option.isNone)

      const batch = makeBatch(batchBounds.storeSettlements, writeBatch, { runAlone: writeAlone })
      const settleInBatch = batch.callWithGrace(writeGrace)
      const backlog = makeBacklog()

      /**
       * Does nothing if another account has been connected since the claim: that account works, and only this post
       * belongs to the old account.
       */
      const disconnect = ({ accountId, integration }: AccountClaim) =>
        accountId === integration.accountId
          ? repo.integrations.markNeedsReconnect(integration.id, integration.version)
          : Effect.succeed(false)

      const notifyDisconnected = (
        { integration: { id, username }, platform, workspaceId }: AccountClaim,
        message: string
      ) => notifier.integrationDisconnected(workspaceId, { id, username, platform }, message)

      /** Locks the account before the post, as the replacement of an account does. */
      const disconnectAndSettle = (each: SettlementOfClaim) =>
        Effect.gen(function* () {
          const { claim, settlement } = each
          const disconnects = yield* disconnect(claim)
          yield* storeOne(each)
          if (disconnects && settlement._tag === "Failed") yield* notifyDisconnected(claim, settlement.error.message)
        }).pipe(repo.transaction)

      const requireReconnect = (claim: AccountClaim, message: string) =>
        Effect.asVoid(Effect.when(notifyDisconnected(claim, message), disconnect(claim))).pipe(repo.transaction)

      return Settlements.of({
        requireReconnect,
        expectOutcome: batch.expect,
        ...backlog,
        settle: (claim, settlement) =>
          Effect.suspend(() => {
            const each = { claim, settlement }
            if (needsReconnect(each)) return writeOnce(disconnectAndSettle(each))
            // If two targets recognize one post, the second must see what the first has written.
            if (isRecognized(settlement) || awaitsAddress(settlement)) return writeOnce(writeAlone(each))
            return Effect.flatMap(isWrittenAlone(claim), (alone) =>
              alone ? writeOnce(writeAlone(each)) : Effect.tapError(settleInBatch(each), (error) => note(claim, error))
            )
          })
      })
    })
  ).pipe(Layer.provideMerge(MeansToSettle.layer))
}
