package rondo.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What may know what: the table of rooms in ARCHITECTURE.md, and the habits that a program can check. */
class FloorsTest {
    private static final JavaClasses RONDO = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
            .importPackages("rondo");

    /** Rooms and the packages and classes of Rondo that each may import, besides itself. */
    private static Map<String, List<String>> rooms() {
        Map<String, List<String>> rooms = new LinkedHashMap<>();
        rooms.put("base", List.of());
        rooms.put("kv", List.of("rondo.base.."));
        rooms.put("engine", List.of("rondo.base..", "rondo.kv.."));
        // Of the memory the model knows the layout and the work lists, never the cache itself.
        rooms.put(
                "model",
                List.of(
                        "rondo.base..",
                        "rondo.engine.spi..",
                        "rondo.engine.sample..",
                        "rondo.kv.KvLayout",
                        "rondo.kv.KvPools",
                        "rondo.kv.LifeCycle",
                        "rondo.kv.PageWork",
                        "rondo.kv.PageCopies",
                        "rondo.kv.Tier"));
        rooms.put("cpu", List.of("rondo.base..", "rondo.model.compute.."));
        rooms.put("cuda", List.of("rondo.base..", "rondo.model.compute.."));
        rooms.put("text", List.of("rondo.base.."));
        // Statistics and events to read, and what a request brings along: its keys, its scope, its retention.
        rooms.put(
                "server",
                List.of(
                        "rondo.base..",
                        "rondo.engine..",
                        "rondo.text..",
                        "rondo.kv.KvStats",
                        "rondo.kv.Tier",
                        "rondo.kv.KvEvent",
                        "rondo.kv.KvEventSink",
                        "rondo.kv.PromptKeys",
                        "rondo.kv.BlockKeys",
                        "rondo.kv.CacheScope",
                        "rondo.kv.Retention"));
        rooms.put("agentx", List.of("rondo.base..", "rondo.text.."));
        rooms.put("sim", List.of("rondo.base..", "rondo.kv..", "rondo.engine.."));
        return rooms;
    }

    @TestFactory
    Stream<DynamicTest> aRoomImportsOnlyWhatItsRowAllows() {
        return rooms().entrySet().stream()
                .map(room -> DynamicTest.dynamicTest(
                        room.getKey(),
                        () -> noClasses()
                                .that()
                                .resideInAPackage("rondo." + room.getKey() + "..")
                                .should()
                                .dependOnClassesThat(forbidden(room.getKey(), room.getValue()))
                                .allowEmptyShould(true)
                                .check(RONDO)));
    }

    private static DescribedPredicate<JavaClass> forbidden(String room, List<String> allowed) {
        String[] packages = allowed.stream().filter(a -> a.endsWith("..")).toArray(String[]::new);
        Set<String> classes =
                Set.copyOf(allowed.stream().filter(a -> !a.endsWith("..")).toList());
        DescribedPredicate<JavaClass> other = DescribedPredicate.describe(
                "classes that the row of " + room + " does not name",
                c -> !classes.contains(outermost(c).getName())
                        && !(packages.length > 0 && resideInAnyPackage(packages).test(c)));
        return other.and(
                resideInAnyPackage("rondo..").and(DescribedPredicate.not(resideInAnyPackage("rondo." + room + ".."))));
    }

    private static JavaClass outermost(JavaClass c) {
        JavaClass base = c.getBaseComponentType();
        return base.getEnclosingClass().map(FloorsTest::outermost).orElse(base);
    }

    @Test
    void everyPackageBelongsToARoom() {
        List<String> known =
                Stream.concat(rooms().keySet().stream(), Stream.of("cli")).toList();
        assertThat(RONDO.stream().map(JavaClass::getPackageName).distinct())
                .isNotEmpty()
                .allSatisfy(p -> assertThat(known).as(p).contains(p.split("\\.")[1]));
    }

    @Test
    void onlyBaseEnvReadsTheEnvironment() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("rondo.base.Env")
                .should()
                .callMethod(System.class, "getenv")
                .orShould()
                .callMethod(System.class, "getenv", String.class)
                .check(RONDO);
    }

    @Test
    void onlyBaseThreadsMakesThreads() {
        DescribedPredicate<JavaClass> elsewhere =
                DescribedPredicate.describe("not Threads", c -> !c.getName().equals("rondo.base.Threads"));
        noClasses()
                .that(elsewhere)
                .should()
                .callConstructorWhere(DescribedPredicate.describe(
                        "new Thread", call -> call.getTargetOwner().isAssignableTo(Thread.class)))
                .orShould()
                .callMethodWhere(DescribedPredicate.describe(
                        "a thread builder",
                        call -> call.getTargetOwner().isEquivalentTo(Thread.class)
                                && Set.of("ofPlatform", "ofVirtual", "startVirtualThread")
                                        .contains(call.getName())))
                .orShould()
                .callMethodWhere(DescribedPredicate.describe(
                        "an executor with threads of its own",
                        call -> call.getTargetOwner().getName().equals("java.util.concurrent.Executors")
                                && call.getName().startsWith("new")
                                && call.getTarget().getRawParameterTypes().stream()
                                        .noneMatch(p -> p.getSimpleName().equals("ThreadFactory"))))
                .check(RONDO);
    }

    @Test
    void noStaticFieldCanChange() {
        ArchRule rule = fields().that()
                .areStatic()
                .and(DescribedPredicate.<JavaField>describe(
                        "are not made by the compiler", f -> !f.getModifiers().contains(JavaModifier.SYNTHETIC)))
                .should(beFinal())
                .allowEmptyShould(true);
        rule.check(RONDO);
    }

    private static ArchCondition<JavaField> beFinal() {
        return new ArchCondition<>("be final") {
            @Override
            public void check(JavaField field, ConditionEvents events) {
                boolean ok = field.getModifiers().contains(JavaModifier.FINAL);
                events.add(new SimpleConditionEvent(field, ok, field.getFullName() + " is static and can change"));
            }
        };
    }

    @Test
    void theLogIsSlf4jOnly() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.logging..", "org.apache.commons.logging..", "org.apache.log4j..")
                .check(RONDO);
        noClasses()
                .that()
                .resideOutsideOfPackage("rondo.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("ch.qos.logback..", "picocli..", "org.snakeyaml..")
                .check(RONDO);
    }

    @Test
    void onlyBaseMakesAJsonMapper() {
        noClasses()
                .that()
                .resideOutsideOfPackage("rondo.base..")
                .should()
                .callMethodWhere(DescribedPredicate.describe(
                        "a JSON mapper of its own",
                        call -> call.getTargetOwner().getName().equals("tools.jackson.databind.json.JsonMapper")
                                && Set.of("builder", "shared").contains(call.getName())))
                .orShould()
                .callConstructorWhere(DescribedPredicate.describe(
                        "a JSON mapper of its own",
                        call -> Arrays.asList(
                                        "tools.jackson.databind.json.JsonMapper", "tools.jackson.databind.ObjectMapper")
                                .contains(call.getTargetOwner().getName())))
                .check(RONDO);
    }
}
