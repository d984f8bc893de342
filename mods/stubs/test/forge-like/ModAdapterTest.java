import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ccbridge.core.fake.FakeBridge;
import dev.ccbridge.core.json.Json;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import net.minecraft.server.level.ServerPlayer;
import net.minecraft.world.level.block.state.BlockState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import stubs.Answers;

/**
 * The adapters for NeoForge and Forge: their handlers are called with stub events, and the bridge receives the result.
 */
@Timeout(180)
class ModAdapterTest {
    private final boolean forge = System.getProperty("adapter").contains("1.20.1");
    private final List<Object> listeners = new ArrayList<>();
    private final StubServer stub = new StubServer();
    private FakeBridge bridge;

    @BeforeEach
    void start() throws Exception {
        bridge = new FakeBridge();
        String fml = forge ? "net.minecraftforge.fml." : "net.neoforged.fml.";
        String common = forge ? "net.minecraftforge.common.MinecraftForge" : "net.neoforged.neoforge.common.NeoForge";
        Class<?> bus = Class.forName(forge ? "net.minecraftforge.eventbus.api.IEventBus" : "net.neoforged.bus.api.IEventBus");
        Class.forName(common).getField("EVENT_BUS").set(null, Stub.of(bus, "register", (Function<Object[], Object>) args -> listeners.add(args[0])));
        Answers.set(Class.forName(fml + "loading.FMLPaths").getEnumConstants()[0], "get", Stub.settingsFor(bridge));
        Object version = Stub.of(Class.forName("org.apache.maven.artifact.versioning.ArtifactVersion"), "toString", "9.9.9");
        Object info = Stub.of(Class.forName(forge ? "net.minecraftforge.forgespi.language.IModInfo" : "net.neoforged.neoforgespi.language.IModInfo"), "getVersion", version);
        Object container = Answers.set(Class.forName(fml + "ModContainer").getDeclaredConstructor().newInstance(), "getModInfo", info);
        if (forge) {
            Answers.setStatic("get", Answers.set(Class.forName(fml + "ModLoadingContext").getDeclaredConstructor().newInstance(), "getActiveContainer", container));
            Class.forName("dev.ccbridge.forge.ForgeMod").getDeclaredConstructor().newInstance();
        } else {
            Class.forName("dev.ccbridge.neoforge.NeoForgeMod").getDeclaredConstructor(container.getClass()).newInstance(container);
        }
        fire("started", "getServer", stub.server);
        assertEquals("9.9.9", Json.asObject(bridge.nextCommand("hello").get("agent")).get("version"));
    }

    @AfterEach
    void stop() throws Exception {
        fire("stopping");
        bridge.close();
    }

    /** Calls a handler with a stub of its event. */
    private void fire(String handler, Object... answers) throws Exception {
        for (Object listener : listeners) {
            for (Method method : listener.getClass().getMethods()) {
                if (!method.getName().equals(handler)) continue;
                Object event = method.getParameterTypes()[0].getDeclaredConstructor().newInstance();
                try {
                    method.invoke(listener, Answers.set(event, answers));
                } catch (InvocationTargetException thrown) {
                    throw new AssertionError("a handler threw into the tick", thrown.getCause());
                }
            }
        }
    }

    private void breaks(ServerPlayer player, boolean cancelled) throws Exception {
        fire("broken", "getPlayer", player, "getLevel", stub.level, "getPos", stub.place(), "getState", new BlockState(), "isCanceled", cancelled);
    }

    @Test
    void reportsTheFiveEvents() throws Exception {
        ServerPlayer steve = stub.player("Steve");
        fire("joined", "getEntity", steve);
        fire("chatted", "getPlayer", steve, "getRawText", "hi");
        breaks(steve, false);
        fire("died", "getEntity", steve, "getSource", stub.fall());
        fire("left", "getEntity", steve);
        List<String> seen = new ArrayList<>();
        for (int count = 0; count < 5; count++) seen.add(Json.write(bridge.nextEvent().get("data")));
        assertEquals("{\"player\":\"Steve\",\"uuid\":\"00000000-0000-0001-0000-000000000002\"}", seen.get(0));
        assertEquals("{\"player\":\"Steve\",\"message\":\"hi\"}", seen.get(1));
        assertEquals("{\"player\":\"Steve\",\"blockType\":\"minecraft:stone\",\"location\":{\"world\":\"minecraft:overworld\",\"x\":1,\"y\":2,\"z\":3}}", seen.get(2));
        assertTrue(seen.get(3).contains("\"cause\":\"Steve fell\"") && seen.get(3).contains("\"killer\":\"Zombie\""), seen.get(3));
        assertEquals(seen.get(0), seen.get(4));
    }

    @Test
    void leavesOutCancelledEventsFakePlayersAndOtherCreatures() throws Exception {
        ServerPlayer steve = stub.player("Steve");
        Class<?> fakeClass = Class.forName(forge ? "net.minecraftforge.common.util.FakePlayer" : "net.neoforged.neoforge.common.util.FakePlayer");
        ServerPlayer fake = stub.describe((ServerPlayer) fakeClass.getDeclaredConstructor().newInstance(), "Machine");
        fire("chatted", "getPlayer", steve, "getRawText", "hidden", "isCanceled", true);
        fire("died", "getEntity", steve, "getSource", stub.fall(), "isCanceled", true);
        breaks(steve, true);
        breaks(fake, false);
        fire("broken", "getPlayer", steve, "getPos", stub.place(), "getState", new BlockState());
        fire("joined", "getEntity", fake);
        fire("died", "getEntity", new net.minecraft.world.entity.LivingEntity(), "getSource", stub.fall());
        fire("left", "getEntity", steve);
        assertEquals("player_quit", bridge.nextEvent().get("eventType"));
    }

    @Test
    void neverThrowsIntoTheTick() throws Exception {
        // A player without a profile, as with a broken mod or another version.
        fire("joined", "getEntity", new ServerPlayer());
        fire("died", "getEntity", stub.player("Steve"), "getSource", new net.minecraft.world.damagesource.DamageSource());
        fire("left", "getEntity", stub.player("Steve"));
        assertEquals("player_quit", bridge.nextEvent().get("eventType"));
        assertTrue(List.copyOf(stub.log).stream().anyMatch(line -> line.contains("could not be reported")), stub.log.toString());
    }

    @Test
    void servesTheGame() throws Exception {
        GameChecks.run(bridge, stub);
    }

    @Test
    void fillsItsQueueWithoutTroubleAndStopsWhileACommandRuns() throws Exception {
        bridge.close();
        for (int count = 0; count < 11_000; count++) fire("left", "getEntity", stub.player("Steve"));
        Answers.set(stub.server, "execute", null);
        assertTimeout(FakeBridge.STOP, () -> fire("stopping"));
        fire("left", "getEntity", stub.player("Steve"));
    }

    @Test
    void stopsWhileACommandRuns() throws Exception {
        // The game accepts the work and never does it.
        Answers.set(stub.server, "execute", null);
        bridge.ask("command", "execute_command", Json.object("command", "say hi"));
        bridge.settle();
        assertTimeout(FakeBridge.STOP, () -> fire("stopping"));
        assertTrue(List.copyOf(stub.log).stream().anyMatch(line -> line.startsWith("stopped")), stub.log.toString());
    }
}
