#import <Foundation/Foundation.h>
#import "Account.h"

@protocol Auditing <NSObject>
- (void)auditor:(id)auditor didSee:(NSInteger)amount;
@end

@interface Account : NSObject <Auditing>
@property (nonatomic, copy) NSString *owner;
- (instancetype)initWithOwner:(NSString *)owner;
- (void)deposit:(NSInteger)amount;
+ (Account *)sharedAccount;
@end

@implementation Account {
    NSInteger _balance;
}

- (instancetype)initWithOwner:(NSString *)owner {
    self = [super init];
    if (self) {
        _owner = [owner copy];
    }
    return self;
}

- (void)deposit:(NSInteger)amount {
    _balance += amount;
}

- (void)auditor:(id)auditor didSee:(NSInteger)amount {
    NSLog(@"%@ saw %ld", auditor, (long)amount);
}

+ (Account *)sharedAccount {
    static Account *shared = nil;
    return shared;
}
@end

static NSInteger rounded(double value) {
    return (NSInteger)(value + 0.5);
}
