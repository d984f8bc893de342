package dev.ccbridge.core;

import dev.ccbridge.core.event.Events;
import dev.ccbridge.core.extension.Extensions;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.core.link.Link;
import dev.ccbridge.core.link.LinkThread;
import dev.ccbridge.core.link.Outbox;
import dev.ccbridge.core.link.Times;
import dev.ccbridge.core.log.Log;
import dev.ccbridge.core.settings.Settings;
import dev.ccbridge.core.settings.SettingsException;
import dev.ccbridge.core.settings.SettingsFile;
import dev.ccbridge.core.tool.Policy;
import dev.ccbridge.core.tool.Tools;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/** The whole program: links one game server to one bridge, from its start to its stop. */
public final class ModBridge {
    private static final int MAX_EVENT_CHARS = 8 * 1_024 * 1_024;

    private final Platform platform;
    private final Extensions extensions;
    private final Times times;
    private final Log log;
    private final LinkThread thread;
    private final SettingsFile file;
    private final String instance = UUID.randomUUID().toString();
    private final Outbox outbox = new Outbox(instance, Settings.QUEUE_SIZE, MAX_EVENT_CHARS);
    private final AtomicBoolean flushing = new AtomicBoolean();
    private final Events events;
    private final Tools tools;
    /** Null until there is a valid file. Both are written on the link's thread only. */
    private volatile Settings settings;
    private volatile Link link;

    private ModBridge(Platform platform, Extensions extensions, Times times) {
        this.platform = platform;
        this.extensions = extensions;
        this.times = times;
        log = new Log(platform.log());
        thread = new LinkThread(log);
        file = new SettingsFile(platform.settings());
        events = new Events(outbox, log, this::flushSoon);
        tools = new Tools(platform.game(), platform.thread(), thread, extensions, null);
    }

    /** Never throws and never waits, since it is called while the game starts. */
    public static ModBridge start(Platform platform) {
        return start(platform, Extensions.SHARED, Times.DEFAULT);
    }

    static ModBridge start(Platform platform, Extensions extensions, Times times) {
        ModBridge bridge = new ModBridge(platform, extensions, times);
        extensions.connect(() -> bridge.thread.execute(bridge::extensionsChanged), bridge::customEvent);
        bridge.thread.execute(bridge::begin);
        return bridge;
    }

    public Events events() {
        return events;
    }

    public boolean linked() {
        Link now = link;
        return now != null && now.ready();
    }

    /** Closes the link. Takes a second at most; running commands are not awaited. */
    public void stop() {
        extensions.disconnect();
        Link now = link;
        if (now != null) now.stop();
        log.info("stopped", "unsentEvents", outbox.size(), "lostEvents", outbox.lost());
        thread.shutdown();
    }

    private void begin() {
        log.info("ccbridge for Minecraft", "version", platform.modVersion(), "software", platform.software(),
                "game", platform.gameVersion(), "settings", platform.settings().toString());
        try {
            if (file.createIfMissing()) log.info("wrote the settings; set bridge.auth_token in them", "file", file.path().toString());
        } catch (IOException problem) {
            log.error("the settings cannot be written", "reason", problem.toString());
        }
        file.changed();
        reload();
        thread.every(times.settingsPollMs(), () -> {
            if (file.changed()) reload();
        });
    }

    /** Reloads the settings. Invalid ones change nothing; unchanged ones only restart a link that gave up. */
    private void reload() {
        Settings loaded;
        try {
            loaded = file.load();
        } catch (SettingsException problem) {
            log.error(settings == null ? "not linked: the settings cannot be used yet" : "the changed settings are not used", "reason", problem.getMessage());
            return;
        }
        Settings before = settings;
        boolean gaveUp = link != null && link.gaveUp();
        if (loaded.equals(before) && !gaveUp) return;
        settings = loaded;
        log.configure(loaded.level(), loaded.bridge().token());
        tools.allow(Policy.of(loaded));
        events.enable(loaded.events());
        outbox.keep(loaded.queueSize());
        boolean relink = before == null || gaveUp || !loaded.bridge().equals(before.bridge()) || !loaded.serverName().equals(before.serverName());
        log.info(before == null ? "settings" : "settings changed", "name", loaded.serverName(), "bridge", loaded.bridge().url().toString(),
                "events", loaded.events(), "tools", loaded.tools().size(), "patterns", loaded.patterns().size());
        if (relink) relink(loaded);
        else extensionsChanged();
    }

    private void relink(Settings loaded) {
        Link old = link;
        link = new Link(loaded.bridge(), loaded.serverName(), new Link.Parts(thread, log, outbox, tools, times, this::hello, this::offerTools));
        if (old == null) {
            link.start();
            return;
        }
        // Not on this thread, on which the old link has to end.
        Link next = link;
        Thread goodbye = new Thread(() -> {
            old.stop();
            next.start();
        }, "ccbridge-relink");
        goodbye.setDaemon(true);
        goodbye.start();
    }

    private Map<String, Object> hello() {
        return Json.object(
                "name", settings.serverName(),
                "instance", instance,
                "agent", Json.object("name", "ccbridge-mod", "version", platform.modVersion()),
                "game", Json.object("software", platform.software(), "version", platform.gameVersion()),
                "route", "mod",
                "capabilities", Capabilities.of(settings, extensions),
                "acknowledge", true,
                "nextEvent", outbox.firstUnsettled(),
                "eventCount", outbox.count());
    }

    /** Announces all custom tools to a bridge that supports them. */
    private void offerTools() {
        if (link.features().customTools()) {
            link.tell("offer_tools", Json.object("tools", settings.customTools() ? extensions.describeTools() : java.util.List.of()));
        }
    }

    private void extensionsChanged() {
        if (!linked()) return;
        link.introduce();
        offerTools();
    }

    private boolean customEvent(String name, Map<String, Object> data) {
        Settings now = settings;
        Link through = link;
        if (now == null || !now.customEvents() || through == null || !through.features().customEvents()) return false;
        outbox.push(name, System.currentTimeMillis(), data, true);
        flushSoon();
        return true;
    }

    /** Batches the events of a tick. */
    private void flushSoon() {
        if (flushing.compareAndSet(false, true)) thread.execute(() -> {
            flushing.set(false);
            Link now = link;
            if (now != null) now.flush();
        });
    }
}
