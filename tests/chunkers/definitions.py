"""The definitions of the files in `programs/`: lines and names, counted by hand."""

from __future__ import annotations

#: Lines and path of each definition; a star where nothing is defined, but has members.
DEFINITIONS = {
    "Account.m": """
        4-6 Auditing; 5-5 Auditing auditor; 8-13 Account; 10-10 Account initWithOwner;
        11-11 Account deposit; 12-12 Account sharedAccount; 15-39 Account;
        19-25 Account initWithOwner; 27-29 Account deposit; 31-33 Account auditor;
        35-38 Account sharedAccount; 41-43 rounded
    """,
    "Backup.ps1": """
        12-15 Outcome; 17-30 Job; 21-24 Job Job; 26-29 Job Run; 32-36 Get-OldBackup;
        38-41 Remove-OldBackup
    """,
    "CMakeLists.txt": """
        4-4 SHOP_TESTS; 9-16 shop_add_library; 18-20 shop_warn; 22-25 shop_core; 28-28 shop
    """,
    "Dockerfile": """
        2-2 PYTHON; 3-8 base; 9-15 builder; 16-22 assets; 23-31 base *
    """,
    "Makefile": """
        2-2 PYTHON; 3-3 SOURCES; 4-5 OBJECTS; 10-11 all; 12-14 program; 15-17 %.o; 19-22 test;
        23-28 banner; 30-31 release; 33-34 release; 37-38 clean
    """,
    "Vault.sol": """
        6-6 TooLittle; 8-11 IVault; 9-9 IVault deposit; 10-10 IVault withdraw; 13-17 Shares;
        14-16 Shares of; 20-45 Vault; 21-24 Vault Holder; 26-26 Vault State;
        28-28 Vault Deposited; 30-30 Vault holders; 32-35 Vault whenOpen; 37-39 Vault constructor;
        41-44 Vault deposit
    """,
    "cart.clj": """
        1-36 shop.cart; 6-6 shop.cart limit; 8-8 shop.cart carts; 10-10 shop.cart Line;
        12-14 shop.cart Priced; 13-13 shop.cart Priced total; 14-14 shop.cart Priced discounted;
        16-21 shop.cart add-line; 23-24 shop.cart line-total; 26-26 shop.cart ship;
        28-29 shop.cart ship; 31-33 shop.cart with-cart
    """,
    "library.proto": """
        10-26 Book; 15-18 Book Place; 22-25 Book owner; 28-32 Condition; 34-40 Lending;
        36-36 Lending Lend; 37-39 Lending GiveBack
    """,
    "model.R": """
        7-13 fit_line; 15-18 print.fitted_line; 20-23 residuals_of; 21-21 residuals_of helper;
        25-25 Person; 27-27 describe; 29-31 describe; 33-33 %+%; 35-35 plot_line
    """,
    "network.tf": """
        1-6 terraform *; 8-12 variable region; 14-16 locals *; 15-15 locals name;
        19-24 aws_vpc main; 26-30 aws_subnet public; 32-35 aws_ami linux; 37-40 module database;
        42-44 output vpc_id
    """,
    "schema.graphql": """
        1-7 Query; 5-5 Query user; 6-6 Query search; 9-11 Mutation; 10-10 Mutation rename;
        13-15 Node; 17-22 User; 21-21 User posts; 24-27 Role; 29-29 Result; 31-31 DateTime;
        33-36 PostInput; 38-38 hidden; 40-42 FindUser; 44-47 Names
    """,
    "schema.sql": """
        2-7 customers; 9-14 shop.orders; 16-16 orders_by_customer; 19-23 spending;
        25-30 spent_since; 32-33 touch_order; 35-35 state
    """,
    "set.mli": """
        3-3 t; 6-6 Empty; 8-12 ORDERED; 9-9 ORDERED t; 11-11 ORDERED compare; 14-14 empty;
        16-16 insert; 19-19 mem; 22-22 to_list; 24-33 Make; 25-25 Make element; 27-27 Make t;
        29-29 Make union; 31-31 Make choose; 35-35 hash
    """,
    "shapes.jl": """
        1-55 Shapes; 8-8 Shapes TAU; 13-13 Shapes Shape; 15-17 Shapes Circle; 19-21 Shapes Square;
        23-23 Shapes area; 25-27 Shapes area; 29-31 Shapes Base.show; 33-35 Shapes scale;
        37-42 Shapes twice; 44-44 Shapes double; 46-47 Shapes corner; 49-49 Shapes whole;
        51-51 Shapes half
    """,
    "tree.ml": """
        4-6 tree; 8-8 Not_there; 10-13 ORDERED; 11-11 ORDERED t; 12-12 ORDERED compare; 15-27 Make;
        16-16 Make element; 18-18 Make empty; 20-26 Make insert; 29-32 counter;
        31-31 counter increment; 34-36 sink; 35-35 sink push; 38-40 depth; 42-42 is_leaf
    """,
}
