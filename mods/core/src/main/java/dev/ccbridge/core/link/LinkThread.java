package dev.ccbridge.core.link;

import dev.ccbridge.core.log.Log;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The single thread of the link, so that its state needs no locks. Exceptions are logged and end nothing; work for a
 * stopped thread is ignored, because it may come from the game's own thread.
 */
public final class LinkThread implements Executor {
    private final Log log;
    private final ScheduledThreadPoolExecutor executor;

    public LinkThread(Log log) {
        this.log = log;
        executor = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "ccbridge-link");
            // Non-daemon threads keep a stopped game server alive.
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public void execute(Runnable work) {
        after(0, work);
    }

    Future<?> after(long ms, Runnable work) {
        return plan(() -> executor.schedule(guarded(work), ms, TimeUnit.MILLISECONDS));
    }

    public Future<?> every(long ms, Runnable work) {
        return plan(() -> executor.scheduleWithFixedDelay(guarded(work), ms, ms, TimeUnit.MILLISECONDS));
    }

    private static Future<?> plan(Supplier<Future<?>> plan) {
        try {
            return plan.get();
        } catch (RejectedExecutionException stopped) {
            return CompletableFuture.completedFuture(null);
        }
    }

    public void shutdown() {
        executor.shutdown();
    }

    private Runnable guarded(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (RuntimeException | LinkageError problem) {
                log.error("a fault in the link", "reason", String.valueOf(problem), "stack", problem);
            }
        };
    }
}
