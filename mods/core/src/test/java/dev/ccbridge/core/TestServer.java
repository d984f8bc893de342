package dev.ccbridge.core;

import dev.ccbridge.core.extension.Extensions;
import dev.ccbridge.core.fake.FakeBridge;
import dev.ccbridge.core.fake.FakeGame;
import dev.ccbridge.core.fake.FakeThread;
import dev.ccbridge.core.link.Times;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The core with a fake game, linked to a fake bridge. */
public final class TestServer implements AutoCloseable {
    public static final String TOKEN = "a-good-server-token";
    private static final Times TIMES = new Times(20, 30_000, 60_000);
    /** Only a failing test waits this long. */
    private static final int WAIT_S = 60;

    public final FakeGame game = new FakeGame();
    public final FakeThread thread = new FakeThread();
    public final Extensions extensions = new Extensions();
    public final BlockingQueue<String> log = new LinkedBlockingQueue<>();
    public final Path file;
    public final FakeBridge bridge;
    public final ModBridge mod;
    /** The arguments of the first hello. */
    public Map<String, Object> hello;

    public TestServer(FakeBridge bridge, String toml) throws IOException {
        this.bridge = bridge;
        file = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "server-").resolve("config/minecraft-mcp-bridge.toml");
        Files.createDirectories(file.getParent());
        write(toml);
        mod = ModBridge.start(new Platform(file, "Test", "1.21.1", "0.0.0", game, thread, (level, line) -> log.add(level + " " + line)), extensions,
                TIMES);
    }

    /** Linked and ready for requests, with no frame left to read. */
    public static TestServer linked(String toml) throws Exception {
        TestServer server = new TestServer(new FakeBridge(), toml);
        server.awaitLink();
        server.hello = server.bridge.nextCommand("hello");
        return server;
    }

    /** The same, with every command allowed. */
    public static TestServer linked() throws Exception {
        return linked("[commands]\nallowed_patterns = ['.*']\n");
    }

    /** Writes the settings. They begin with those of the bridge, whose table may be continued. */
    public void write(String toml) throws IOException {
        String table = "[bridge]\nurl = \"ws://127.0.0.1:" + bridge.port() + "/minecraft\"\nauth_token = \"" + TOKEN + "\"\nreconnect_delay = 100\n";
        Path whole = Files.writeString(file.resolveSibling("new.toml"), table + toml);
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    public void awaitLink() throws InterruptedException {
        awaitLog("linked to the bridge");
    }

    /** The next line that contains a text; others are dropped. */
    public String awaitLog(String part) throws InterruptedException {
        while (true) {
            String line = log.poll(WAIT_S, TimeUnit.SECONDS);
            if (line == null) throw new AssertionError("the log never said: " + part);
            if (line.contains(part)) return line;
        }
    }

    @Override
    public void close() throws IOException {
        mod.stop();
        bridge.close();
        thread.close();
        Files.delete(file);
        Files.delete(file.getParent());
        Files.delete(file.getParent().getParent());
    }
}
